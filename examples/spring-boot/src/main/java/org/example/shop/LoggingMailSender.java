package org.example.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Logs mails, for a shop without a mail server. */
@Component
class LoggingMailSender implements MailSender {
    private static final Logger LOG = LoggerFactory.getLogger(LoggingMailSender.class);

    @Override
    public void send(String messageId, String address, String text) throws InvalidAddressException {
        if (!address.contains("@")) {
            throw new InvalidAddressException("address " + address + " has no @");
        }
        LOG.info("mail {} to {}: {}", messageId, address, text);
    }
}
