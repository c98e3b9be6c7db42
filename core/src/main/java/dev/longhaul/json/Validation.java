package dev.longhaul.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.DialectId;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.format.Format;
import com.networknt.schema.keyword.NonValidationKeyword;
import dev.longhaul.error.FieldError;
import java.time.DateTimeException;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** A schema compiled for validation. It never loads other documents, and limits the steps of each validation. */
final class Validation {
    /**
     * Maximum number of steps: far more than 256 KiB of JSON need, but few enough to stop a schema that doubles its
     * work at every level.
     */
    private static final int MOST_STEPS = 1_000_000;

    private static final int DEEPEST = 1000;
    private static final ExecutionConfig WITH_FORMATS =
            ExecutionConfig.builder().formatAssertionsEnabled(true).build();
    private static final SchemaRegistry REGISTRY = newRegistry();

    private final Schema schema;
    private final SchemaProblems words;

    private Validation(Schema schema, SecretPlaces secrets) {
        this.schema = schema;
        this.words = new SchemaProblems(schema.getSchemaNode(), secrets);
        schema.initializeValidators();
    }

    static Validation of(JsonNode root, SecretPlaces secrets) {
        JsonNode nameless = root;
        if (root.has("$id")) {
            // The id is only a name, but the validator would resolve references against it.
            nameless = ((ObjectNode) root.deepCopy()).without("$id");
        }
        return new Validation(REGISTRY.getSchema(nameless), secrets);
    }

    /** The validation of schemas themselves. */
    static Validation ofSchemas() {
        return Schemas.VALIDATION;
    }

    boolean fits(JsonNode value) {
        try {
            return judge(value).isEmpty();
        } catch (Endless e) {
            return false;
        }
    }

    List<FieldError> problems(String field, JsonNode value) {
        return problems(field, value, words::of);
    }

    List<FieldError> misfits(String field, JsonNode value, boolean strict) {
        return problems(field, value, (place, node, errors) -> words.misfits(place, node, errors, strict));
    }

    /** Formats errors. */
    private interface Wording {
        List<FieldError> of(String field, JsonNode value, List<Error> errors);
    }

    private List<FieldError> problems(String field, JsonNode value, Wording wording) {
        List<Error> errors;
        try {
            errors = judge(value);
        } catch (Endless e) {
            return List.of(new FieldError(field, "too much to check", "a value that its schema can check in time"));
        }
        return errors.isEmpty() ? List.of() : wording.of(field, value, errors);
    }

    private List<Error> judge(JsonNode value) {
        var bounded = new Bounded();
        try {
            schema.validate(bounded, value);
        } catch (StackOverflowError e) {
            // A format's regular expression recursed once per character of a long value.
            throw new Endless();
        }
        return bounded.getErrors();
    }

    private static SchemaRegistry newRegistry() {
        Dialect dialect = Dialect.builder(Dialects.getDraft202012())
                .format(local("date-time-local", DateTimeFormatter.ISO_LOCAL_DATE_TIME))
                .format(local("time-local", DateTimeFormatter.ISO_LOCAL_TIME))
                .format(LinearFormats.REGEX)
                .format(LinearFormats.URI_TEMPLATE)
                .format(LinearFormats.JSON_POINTER)
                .format(LinearFormats.RELATIVE_JSON_POINTER)
                .unknownKeywordFactory((keyword, context) -> new NonValidationKeyword(keyword))
                .build();
        // Java's durations may be negative and have fractions of seconds.
        var config = SchemaRegistryConfig.builder().strict("duration", false).build();
        return SchemaRegistry.withDialect(dialect, registry -> registry.schemaRegistryConfig(config));
    }

    /** Times without an offset, which RFC 3339 and JSON Schema do not define; the names are OpenAPI's. */
    private static Format local(String name, DateTimeFormatter formatter) {
        return LinearFormats.format(name, text -> {
            try {
                formatter.parse(text);
                return true;
            } catch (DateTimeException e) {
                return false;
            }
        });
    }

    private static final class Schemas {
        private static final Validation VALIDATION =
                new Validation(REGISTRY.getSchema(SchemaLocation.of(DialectId.DRAFT_2020_12)), SecretPlaces.NONE);
    }

    /** Counts the steps of one validation. */
    private static final class Bounded extends ExecutionContext {
        private int steps;
        private int depth;

        Bounded() {
            super(WITH_FORMATS);
        }

        @Override
        public void evaluationPathAddLast(String token) {
            step();
            super.evaluationPathAddLast(token);
        }

        @Override
        public void evaluationPathAddLast(int token) {
            step();
            super.evaluationPathAddLast(token);
        }

        @Override
        public void evaluationPathRemoveLast() {
            depth--;
            super.evaluationPathRemoveLast();
        }

        private void step() {
            if (++steps > MOST_STEPS || ++depth > DEEPEST) {
                throw new Endless();
            }
        }
    }

    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1;

        Endless() {
            super("too many steps", null, false, false);
        }
    }
}
