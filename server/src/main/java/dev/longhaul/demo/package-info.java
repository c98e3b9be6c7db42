/**
 * Jobs to try Longhaul with, and to test it with. All of them are in {@link dev.longhaul.demo.DemoJobs}. Only who starts a
 * server depends on this package.
 */
@NullMarked
package dev.longhaul.demo;

import org.jspecify.annotations.NullMarked;
