/** Names, ids and text that every store can keep. */
@NullMarked
package dev.longhaul.internal.text;

import org.jspecify.annotations.NullMarked;
