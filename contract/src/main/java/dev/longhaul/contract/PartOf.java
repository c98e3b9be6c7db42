package dev.longhaul.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The port that a part of the contract tests; the part is skipped for a store that does not declare that port. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface PartOf {
    Class<?> value();
}
