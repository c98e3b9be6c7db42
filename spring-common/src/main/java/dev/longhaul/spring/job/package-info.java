/**
 * Finds the job definitions of an application context: beans, and methods with
 * {@link dev.longhaul.spring.LonghaulJob}. Start with {@link dev.longhaul.spring.job.DeclaredJobs}.
 */
@NullMarked
package dev.longhaul.spring.job;

import org.jspecify.annotations.NullMarked;
