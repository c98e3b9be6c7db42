package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void contains_message_type_and_stack() {
        Failure failure = Failure.of(new IllegalStateException("boom"));
        assertThat(failure.code()).isEqualTo(Failure.EXCEPTION);
        assertThat(failure.message()).isEqualTo("boom");
        assertThat(failure.type()).isEqualTo("java.lang.IllegalStateException");
        assertThat(failure.stack()).contains("FailureTest");
    }

    @Test
    void contains_the_type_of_an_exception_without_a_message() {
        assertThat(Failure.of(new IllegalStateException()).message()).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void describes_an_exception_whose_getters_throw() {
        class Unspeakable extends RuntimeException {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("planted");
            }
        }
        Failure failure = Failure.of(new Unspeakable());
        assertThat(failure.message()).endsWith("Unspeakable, whose message throws java.lang.IllegalStateException");
        assertThat(failure.type()).endsWith("Unspeakable");
    }
}
