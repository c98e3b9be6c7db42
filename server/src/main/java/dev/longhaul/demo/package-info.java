/**
 * Jobs for trying out and testing Longhaul: {@link dev.longhaul.demo.DemoJobs} and
 * {@link dev.longhaul.demo.IsolatedDemoJobs}. Only the programs that start a server depend on this package.
 */
@NullMarked
package dev.longhaul.demo;

import org.jspecify.annotations.NullMarked;
