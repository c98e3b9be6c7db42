package dev.longhaul.kotlin

import dev.longhaul.JobContext
import dev.longhaul.JobDefinition
import dev.longhaul.JobResult
import dev.longhaul.Longhaul
import dev.longhaul.job.JobStatus
import dev.longhaul.memory.MemoryStore
import dev.longhaul.spi.Store
import dev.longhaul.spring.LonghaulJob
import dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.TimeUnit
import java.util.function.Supplier
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner

class SpringTest {
    data class Welcome(val address: String, val name: String? = null, val language: String = "en")

    data class Sent(val text: String)

    class Mails {
        val suspended: CompletableFuture<String> = CompletableFuture()

        @LonghaulJob(key = "plain")
        fun plain(welcome: Welcome): Sent = Sent("$welcome")

        @LonghaulJob(key = "suspending")
        suspend fun suspending(welcome: Welcome, context: JobContext): Sent {
            delay(1)
            return Sent("${welcome.address} ${welcome.language} ${context.attempt()}")
        }

        @LonghaulJob(key = "nothing")
        suspend fun nothing() {
            delay(1)
        }

        @LonghaulJob(key = "broken", maxAttempts = 1)
        suspend fun broken(welcome: Welcome) {
            delay(1)
            throw IOException("no connection to ${welcome.address}")
        }

        @LonghaulJob(key = "endless")
        suspend fun endless(welcome: Welcome): List<Sent> {
            suspended.complete(welcome.address)
            awaitCancellation()
        }
    }

    class Wrong {
        @LonghaulJob(key = "wrong")
        suspend fun wrong(welcome: Welcome): CompletionStage<Sent> = CompletableFuture.completedFuture(Sent("$welcome"))
    }

    private fun runner(): ApplicationContextRunner =
        ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LonghaulAutoConfiguration::class.java))
            .withBean(Store::class.java, Supplier { MemoryStore() })

    private fun Longhaul.run(key: String, params: Any?): JobResult<*> {
        val definition: JobDefinition<*, *> = registry().latest(key).orElseThrow()
        return await(definition, later(key, params), Duration.ofSeconds(20))
    }

    @Test
    fun `methods and suspend functions run as jobs`() {
        runner().withBean(Mails::class.java).run { context ->
            assertThat(context).hasNotFailed()
            val longhaul = context.getBean(Longhaul::class.java)
            val welcome = Welcome("ann@example.org")
            assertThat(longhaul.run("plain", welcome).data()).isEqualTo(Sent("$welcome"))
            assertThat(longhaul.run("suspending", welcome).data()).isEqualTo(Sent("ann@example.org en 1"))

            val nothing = longhaul.run("nothing", null)
            assertThat(nothing.status()).isEqualTo(JobStatus.SUCCEEDED)
            assertThat(nothing.data()).isNull()

            val broken = longhaul.run("broken", welcome)
            assertThat(broken.status()).isEqualTo(JobStatus.FAILED)
            assertThat(broken.error()!!.message()).contains("no connection to ann@example.org")
        }
    }

    @Test
    fun `cancelling the job cancels the suspend function`() {
        runner().withBean(Mails::class.java).run { context ->
            val longhaul = context.getBean(Longhaul::class.java)
            val definition = longhaul.registry().latest("endless").orElseThrow()
            val id = longhaul.later("endless", Welcome("ann@example.org"))
            context.getBean(Mails::class.java).suspended.get(20, TimeUnit.SECONDS)
            longhaul.cancel(id)
            assertThat(longhaul.await(definition, id, Duration.ofSeconds(20)).status()).isEqualTo(JobStatus.CANCELLED)
        }
    }

    @Test
    fun `a suspend function that returns a future is rejected`() {
        runner().withBean(Wrong::class.java).run { context ->
            assertThat(context.startupFailure)
                .hasMessageContaining("Wrong.wrong")
                .hasMessageContaining("CompletionStage, so that a failure would not be noticed")
        }
    }
}
