/**
 * Params and results as JSON: types, schemas, validation, and the secrets in them. Only this package depends on JSON
 * libraries.
 */
@NullMarked
package dev.longhaul.json;

import org.jspecify.annotations.NullMarked;
