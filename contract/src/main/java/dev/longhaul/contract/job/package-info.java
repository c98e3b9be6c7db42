/** What people and transports may rely on: inserts, commands, reads and queues. */
@NullMarked
package dev.longhaul.contract.job;

import org.jspecify.annotations.NullMarked;
