/**
 * How background threads are started. Start at {@link dev.longhaul.loop.BackgroundLoop}; {@link dev.longhaul.loop.Loops} knows all
 * that run in this process. Nothing here may know jobs or stores.
 */
@NullMarked
package dev.longhaul.loop;

import org.jspecify.annotations.NullMarked;
