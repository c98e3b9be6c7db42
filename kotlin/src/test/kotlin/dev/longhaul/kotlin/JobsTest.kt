package dev.longhaul.kotlin

import com.fasterxml.jackson.databind.ObjectMapper
import dev.longhaul.JobContext
import dev.longhaul.JobDefinition
import dev.longhaul.JobResult
import dev.longhaul.Longhaul
import dev.longhaul.error.ErrorCode
import dev.longhaul.error.LonghaulException
import dev.longhaul.job.JobStatus
import dev.longhaul.json.Secret
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.catchThrowableOfType
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test

class JobsTest {
    enum class Kind { NEWS, RECEIPT }

    data class Attachment(val name: String, val bytes: Long = 0)

    data class Mail(
        val to: String,
        val subject: String? = null,
        val cc: String?,
        val urgent: Boolean = false,
        val isDraft: Boolean,
        val kind: Kind = Kind.NEWS,
        val attachments: List<Attachment> = listOf(),
    )

    data class Receipt(val mail: Mail, val thread: String, val note: String? = null)

    data class Note(val text: String? = "none")

    data class Token(@field:Secret val value: String)

    data class Login(val user: String, @Secret val password: String, val token: Token)

    data class Order(val price: Int, val count: Int) {
        val total: Int get() = price * count
    }

    private val plain = Mail(to = "ann@example.org", cc = null, isDraft = true)

    private fun longhaul(vararg definitions: JobDefinition<*, *>): Longhaul =
        Longhaul.builder().memory().register(*definitions).cancelGrace(Duration.ofSeconds(20)).start()

    private fun <P : Any, R : Any> run(definition: JobDefinition<P, R>, params: P): JobResult<R> =
        longhaul(definition).use { it.await(definition, it.later(definition, params), Duration.ofSeconds(20)) }

    @Nested
    inner class Run {
        @Test
        fun `a suspend function gets a data class and returns one`() {
            val send = job<Mail, Receipt>("mail.send") { mail, _ ->
                delay(1)
                val thread = withContext(Dispatchers.IO) { Thread.currentThread().name }
                Receipt(mail, thread)
            }
            val mail = plain.copy(subject = "Hello", kind = Kind.RECEIPT, attachments = listOf(Attachment("a.pdf", 7)))
            val result = run(send, mail)
            assertThat(result.status()).isEqualTo(JobStatus.SUCCEEDED)
            assertThat(result.data()!!.mail).isEqualTo(mail)
            assertThat(result.data()!!.thread).startsWith("DefaultDispatcher")
        }

        @Test
        fun `Unit is no result, and a job may have no params`() {
            val ran = CompletableFuture<Int>()
            val clean = job<Unit>("files.clean") { context -> ran.complete(context.attempt()) }
            longhaul(clean).use {
                val result = it.await(clean, it.later("files.clean", null), Duration.ofSeconds(20))
                assertThat(result.status()).isEqualTo(JobStatus.SUCCEEDED)
                assertThat(result.data()).isNull()
                assertThat(ran.get(1, TimeUnit.SECONDS)).isEqualTo(1)
                assertThat(clean.result().type()).isEqualTo(Void::class.java)
            }
        }

        @Test
        fun `results have type arguments, and settings are the builder's`() {
            val list = job<Order, List<Attachment>>("list", { version(3).maxAttempts(1) }) { order, _ ->
                List(order.count) { Attachment("$it") }
            }
            assertThat(list.ref().toString()).isEqualTo("list@3")
            val result = run(list, Order(price = 5, count = 2))
            assertThat(result.data()).containsExactly(Attachment("0"), Attachment("1"))
        }

        @Test
        fun `an exception fails the attempt, also after a suspension`() {
            val broken = job<Order, Unit>("broken", { maxAttempts(1) }) { _, _ ->
                delay(1)
                throw IOException("no connection")
            }
            val result = run(broken, Order(1, 1))
            assertThat(result.status()).isEqualTo(JobStatus.FAILED)
            assertThat(result.error()!!.message()).contains("no connection")
        }

        @Test
        fun `a timeout of the code's own is a failure, not a cancel`() {
            val slow = job<Order, Unit>("slow", { maxAttempts(1) }) { _, _ -> withTimeout(1) { awaitCancellation() } }
            val result = run(slow, Order(1, 1))
            assertThat(result.status()).isEqualTo(JobStatus.FAILED)
            assertThat(result.error()!!.message()).contains("Timed out")
        }
    }

    @Test
    fun `cancelling the job cancels the coroutine`() {
        val suspended = CompletableFuture<JobContext>()
        val cancelled = CompletableFuture<Boolean>()
        val endless = job<Order, Unit>("endless") { _, context ->
            try {
                withContext(Dispatchers.Default) {
                    suspended.complete(context)
                    awaitCancellation()
                }
            } catch (e: CancellationException) {
                cancelled.complete(context.cancelled())
                throw e
            }
        }
        longhaul(endless).use {
            val id = it.later(endless, Order(1, 1))
            suspended.get(20, TimeUnit.SECONDS)
            it.cancel(id, "enough")
            assertThat(cancelled.get(20, TimeUnit.SECONDS)).isTrue()
            val result = it.await(endless, id, Duration.ofSeconds(20))
            assertThat(result.status()).isEqualTo(JobStatus.CANCELLED)
        }
    }

    @Nested
    inner class Json {
        private val send = job<Mail, Unit>("mail.send") { _, _ -> }

        @Test
        fun `fields that may be null or have a default are optional, the others required`() {
            assertThat(send.params().read("""{"to": "ann@example.org", "isDraft": true}""")).isEqualTo(plain)
            assertThat(problems("""{"to": "ann@example.org", "isDraft": true}""")).isEmpty()
            assertThat(problems("""{"to": "ann@example.org", "isDraft": true, "subject": null}""")).isEmpty()
            assertThat(problems("""{"to": "a", "isDraft": true, "attachments": [{"name": "a.pdf"}]}""")).isEmpty()
            assertThat(problems("""{"isDraft": true}""")).singleElement().asString().contains("params.to")
            assertThat(problems("""{"to": "a", "isDraft": true, "attachments": [{}]}"""))
                .singleElement()
                .asString()
                .contains("attachments", "name")
        }

        @Test
        fun `the schema lists the required fields in the order of the class`() {
            val schema = ObjectMapper().readTree(send.params().schema().text())
            assertThat(schema["required"].map { it.asText() }).containsExactly("to", "isDraft")
            assertThat(schema["properties"].fieldNames().asSequence().toList())
                .containsExactly("to", "subject", "cc", "urgent", "isDraft", "kind", "attachments")
            assertThat(schema["properties"]["subject"]["type"].map { it.asText() }).containsExactly("string", "null")
            assertThat(schema["properties"]["urgent"]["type"].asText()).isEqualTo("boolean")
            assertThat(schema["additionalProperties"].asBoolean(true)).isFalse()
        }

        @Test
        fun `null is rejected where the type has none, even with a default`() {
            for (field in listOf("isDraft", "urgent", "kind", "attachments")) {
                val others = if (field == "isDraft") "" else """"isDraft": true, """
                val json = """{"to": "a", $others"$field": null}"""
                assertThat(problems(json)).describedAs(json).singleElement().asString().contains("params.$field")
                val failure = catchThrowableOfType(LonghaulException::class.java) { send.params().read(json) }
                assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT)
                assertThat(failure).hasMessageContaining("value.$field")
            }
        }

        @Test
        fun `null is no missing value where a nullable property has a default`() {
            val open = job<Note, Unit>("note") { _, _ -> }.params()
            assertThat(open.schema().problems("params", """{"text": null}""")).isEmpty()
            assertThat(open.read("""{"text": null}""")).isEqualTo(Note(text = null))
            assertThat(open.read("{}")).isEqualTo(Note(text = "none"))
        }

        @Test
        fun `unknown fields and wrong values are rejected, with the field named`() {
            assertThat(problems("""{"to": "a", "isDraft": true, "bcc": "b"}"""))
                .singleElement()
                .asString()
                .contains("bcc")
            assertThat(problems("""{"to": "a", "isDraft": true, "urgent": 3}"""))
                .singleElement()
                .asString()
                .contains("params.urgent")
        }

        @Test
        fun `a computed property is written, and ignored when read`() {
            val buy = job<Order, Unit>("buy") { _, _ -> }
            val json = buy.params().write(Order(price = 5, count = 2))
            assertThat(json).isEqualTo("""{"price":5,"count":2,"total":10}""")
            assertThat(buy.params().schema().problems("params", json)).isEmpty()
            assertThat(buy.params().read(json)).isEqualTo(Order(price = 5, count = 2))
        }

        @Test
        fun `secret properties are masked`() {
            val login = job<Login, Unit>("login") { _, _ -> }.params()
            assertThat(login.schema().redacted(login.write(Login("ann", "swordfish", Token("t0ken")))))
                .contains("ann")
                .doesNotContain("swordfish", "t0ken")
        }

        @Test
        fun `written text is read again`() {
            val json = send.params().write(plain)
            assertThat(problems(json)).isEmpty()
            assertThat(send.params().read(json)).isEqualTo(plain)
        }

        private fun problems(json: String): List<Any> = send.params().schema().problems("params", json)
    }
}
