package dev.longhaul.json;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.format.Format;
import java.util.function.Predicate;

/**
 * Checks formats in place of the validator. The validator uses regular expressions, which take quadratic time or a
 * stack frame per character; these checks read each character once.
 */
final class LinearFormats {
    /** Accepts any text: checking it means compiling it, which takes minutes for a long text. */
    static final Format REGEX = format("regex", text -> true);

    static final Format URI_TEMPLATE = format("uri-template", LinearFormats::uriTemplate);
    static final Format JSON_POINTER = format("json-pointer", text -> jsonPointer(text, 0));
    static final Format RELATIVE_JSON_POINTER = format("relative-json-pointer", LinearFormats::relativeJsonPointer);

    private static final String NEVER_LITERAL = "\"'<>\\^`|";
    private static final String OPERATORS = "+#./;?&=,!@|";
    private static final String IN_EXPRESSION = "_.%:*,";

    private LinearFormats() {}

    static Format format(String name, Predicate<String> rule) {
        return new Format() {
            @Override
            public String getName() {
                return name;
            }

            @Override
            public boolean matches(ExecutionContext context, String value) {
                return rule.test(value);
            }
        };
    }

    /** RFC 6901. */
    private static boolean jsonPointer(String text, int from) {
        if (text.length() > from && text.charAt(from) != '/') {
            return false;
        }
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) == '~') {
                char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
                if (next != '0' && next != '1') {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the text is a relative JSON pointer: a number of levels to go up, then a pointer or {@code #}. */
    private static boolean relativeJsonPointer(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        boolean number = digits == 1 || (digits > 1 && text.charAt(0) != '0');
        boolean name = digits == text.length() - 1 && text.charAt(digits) == '#';
        return number && (name || jsonPointer(text, digits));
    }

    /** Whether the text is a URI template (RFC 6570): braces are closed and do not nest. */
    private static boolean uriTemplate(String text) {
        int open = -1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '{' || c == '}') {
                boolean opens = c == '{';
                if (opens == (open >= 0) || (!opens && i - open < 2)) {
                    return false;
                }
                open = opens ? i : -1;
            } else if (open < 0 ? !literal(c) : !inExpression(c, i == open + 1)) {
                return false;
            }
        }
        return open < 0;
    }

    private static boolean literal(char c) {
        return c > ' ' && c != 0x7f && NEVER_LITERAL.indexOf(c) < 0;
    }

    private static boolean inExpression(char c, boolean first) {
        boolean letterOrDigit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letterOrDigit || IN_EXPRESSION.indexOf(c) >= 0 || (first && OPERATORS.indexOf(c) >= 0);
    }
}
