package dev.longhaul.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the port that a part of the contract tests. The part is skipped for a store that does not declare the port. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface PartOf {
    Class<?> value();
}
