package dev.longhaul.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Skips the contract's parts for ports that a store does not declare. Fails if a test of a declared port was skipped.
 */
final class Declared implements ExecutionCondition, TestWatcher, AfterAllCallback {
    private final List<String> skipped = new CopyOnWriteArrayList<>();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        PartOf part = context.getTestClass()
                .map(type -> type.getAnnotation(PartOf.class))
                .orElse(null);
        if (part == null || declares(context, part.value())) {
            return ConditionEvaluationResult.enabled("declared");
        }
        return ConditionEvaluationResult.disabled(
                "the store does not declare " + part.value().getSimpleName());
    }

    private static boolean declares(ExtensionContext part, Class<?> port) {
        Ports ports = part.getParent()
                .flatMap(ExtensionContext::getTestClass)
                .map(type -> type.getAnnotation(Ports.class))
                .orElse(null);
        return ports == null || List.of(ports.value()).contains(port);
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        skipped.add(context.getDisplayName() + ": " + reason.orElse("disabled"));
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        skipped.add(context.getDisplayName() + ": " + cause);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (JobStoreContract.class.isAssignableFrom(context.getRequiredTestClass())) {
            assertThat(skipped)
                    .as("skipped tests of ports that the store declares")
                    .isEmpty();
        }
    }
}
