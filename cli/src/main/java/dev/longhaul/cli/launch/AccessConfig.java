package dev.longhaul.cli.launch;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What callers need.
 *
 * @param adminKeyFile a file with the secret of the first admin key
 * @param tokenDirectory where the local token is kept; null if none is needed
 */
record AccessConfig(@Nullable Path adminKeyFile, @Nullable Path tokenDirectory) {}
