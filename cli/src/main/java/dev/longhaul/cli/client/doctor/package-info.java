/**
 * The command {@code doctor}. {@link dev.longhaul.cli.client.doctor.Doctor} runs the checks, which note what they find in
 * {@link dev.longhaul.cli.client.doctor.Findings}.
 */
@NullMarked
package dev.longhaul.cli.client.doctor;

import org.jspecify.annotations.NullMarked;
