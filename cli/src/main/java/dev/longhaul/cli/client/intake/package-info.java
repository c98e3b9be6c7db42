/** The commands for parked records of the intake. They connect to Kafka, not to a server. */
@NullMarked
package dev.longhaul.cli.client.intake;

import org.jspecify.annotations.NullMarked;
