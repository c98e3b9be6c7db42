/** The contract for people and transports: inserts, commands, reads and queues. */
@NullMarked
package dev.longhaul.contract.job;

import org.jspecify.annotations.NullMarked;
