package org.example.shop;

import java.io.IOException;

/** Hands mails to a mail server. */
public interface MailSender {
    /** Sends a mail, once per message id. */
    void send(String messageId, String address, String text) throws IOException;

    /** The mail server refuses the address. */
    class InvalidAddressException extends IOException {
        private static final long serialVersionUID = 1;

        public InvalidAddressException(String message) {
            super(message);
        }
    }
}
