/**
 * The command {@code doctor}. {@link dev.longhaul.cli.client.doctor.Doctor} runs the checks, which add their results to
 * {@link dev.longhaul.cli.client.doctor.Findings}.
 */
@NullMarked
package dev.longhaul.cli.client.doctor;

import org.jspecify.annotations.NullMarked;
