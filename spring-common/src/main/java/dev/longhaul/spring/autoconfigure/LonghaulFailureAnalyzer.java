package dev.longhaul.spring.autoconfigure;

import dev.longhaul.spring.LonghaulConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints a wrong declaration or an unavailable database, and what to change, instead of a stack trace. */
final class LonghaulFailureAnalyzer extends AbstractFailureAnalyzer<LonghaulConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LonghaulConfigurationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
