/** The contract of operations that operators and APIs use: inserts, commands, reads and queues. */
@NullMarked
package dev.longhaul.contract.job;

import org.jspecify.annotations.NullMarked;
