package dev.longhaul.kotlin

import dev.longhaul.JobContext
import dev.longhaul.JobDefinition
import dev.longhaul.JobHandler
import dev.longhaul.json.TypeRef
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.cancel
import kotlinx.coroutines.runBlocking

/**
 * Defines a job. A result of type `Unit` is not stored.
 *
 * @param settings the settings that are not the defaults, such as `{ maxAttempts(3) }`
 * @param code runs in the worker's thread, which it blocks until it returns. Cancelling the job cancels the coroutine.
 */
public inline fun <reified P : Any, reified R : Any> job(
    key: String,
    settings: JobDefinition.Builder<P, R>.() -> Unit = {},
    noinline code: suspend (params: P, context: JobContext) -> R,
): JobDefinition<P, R> =
    JobDefinition.of(key, typeRef<P>(), typeRef<R>()).apply(settings).handler(blocking(code))

/** Defines a job without params. */
public inline fun <reified R : Any> job(
    key: String,
    settings: JobDefinition.Builder<Void, R>.() -> Unit = {},
    noinline code: suspend (context: JobContext) -> R,
): JobDefinition<Void, R> =
    JobDefinition.of(key, TypeRef.of(Void::class.java), typeRef<R>()).apply(settings).handler(withoutParams(code))

/** The type with its type arguments; `Void` for `Unit`. */
@PublishedApi
@Suppress("UNCHECKED_CAST") // No value of type Unit is stored.
internal inline fun <reified T : Any> typeRef(): TypeRef<T> =
    if (T::class == Unit::class) TypeRef.of(Void::class.java) as TypeRef<T> else object : TypeRef<T>() {}

@PublishedApi
internal fun <P : Any, R : Any> blocking(code: suspend (P, JobContext) -> R): JobHandler<P, R> =
    JobHandler { params, context -> block(context) { code(params, context) } }

/** Its params are always null. */
@PublishedApi
internal fun <R : Any> withoutParams(code: suspend (JobContext) -> R): JobHandler<Void, R> =
    JobHandler { _, context -> block(context) { code(context) } }

/** Runs the code and blocks until it returns; `null` for `Unit`. */
private fun <R : Any> block(context: JobContext, code: suspend () -> R): R? =
    try {
        runBlocking {
            context.onCancel { cancel("job ${context.jobId()} should stop") }
            code().takeUnless { it == Unit }
        }
    } catch (e: CancellationException) {
        context.throwIfCancelled()
        throw e
    }
