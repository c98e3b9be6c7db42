/**
 * Support for tests of applications that use Longhaul. Start at {@link dev.longhaul.testkit.LonghaulExtension}. No
 * other published module depends on this package.
 */
@NullMarked
package dev.longhaul.testkit;

import org.jspecify.annotations.NullMarked;
