package dev.longhaul.kotlin

import dev.longhaul.Longhaul
import java.nio.file.Path
import java.time.Duration
import kotlin.io.path.readText
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class GuideTest {
    @Test
    fun `the guide quotes compiled code`() {
        val code = Path.of("src/test/kotlin/dev/longhaul/kotlin/Guide.kt").readText()
        val guide = Path.of("../docs/guides/kotlin.md").readText()
        val blocks = Regex("(?ms)^```kotlin\n(.*?)^```$").findAll(guide).map { it.groupValues[1] }.toList()
        assertThat(blocks).isNotEmpty().allSatisfy { assertThat(code).contains("\n$it") }
    }

    @Test
    fun `the job of the guide runs`() {
        Longhaul.builder().memory().register(sendMail).queues("mail").start().use {
            val result = it.await(sendMail, welcome(it), Duration.ofSeconds(20))
            assertThat(result.data()).isEqualTo(Receipt("ann@example.org null false"))
        }
    }
}
