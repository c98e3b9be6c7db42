/** One run: its lease, its context, its reports, its log and its trace. */
@NullMarked
package dev.longhaul.engine.run;

import org.jspecify.annotations.NullMarked;
