/**
 * For the tests of applications that use Longhaul. Start at {@link dev.longhaul.testkit.LonghaulExtension}. Nothing that is shipped
 * depends on this.
 */
@NullMarked
package dev.longhaul.testkit;

import org.jspecify.annotations.NullMarked;
