package dev.longhaul.kotlin

import dev.longhaul.JobContext
import dev.longhaul.Longhaul
import dev.longhaul.job.JobId
import dev.longhaul.spring.LonghaulJob
import kotlinx.coroutines.delay

// What docs/guides/kotlin.md quotes, each block whole; GuideTest compares and runs it.

data class Mail(val to: String, val subject: String? = null, val urgent: Boolean = false)

data class Receipt(val id: String)

val sendMail = job<Mail, Receipt>("mail.send", { queue("mail").maxAttempts(5) }) { mail, context ->
    context.progress(10, "connecting")
    Receipt(id = smtp.send(mail))
}

fun welcome(longhaul: Longhaul): JobId = longhaul.later(sendMail, Mail(to = "ann@example.org"))

class Mailer(private val smtp: Smtp) {
    @LonghaulJob(key = "mail.welcome")
    suspend fun send(mail: Mail, context: JobContext): Receipt {
        context.progress(10, "connecting")
        return Receipt(id = smtp.send(mail))
    }
}

val smtp = Smtp()

class Smtp {
    suspend fun send(mail: Mail): String {
        delay(1)
        return "${mail.to} ${mail.subject} ${mail.urgent}"
    }
}
