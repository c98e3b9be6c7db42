package dev.longhaul.cli.launch;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values of all settings and their sources. A flag overrides the environment, which overrides the file, which overrides the
 * default. {@link #throwIfWrong} reports all problems at once.
 */
final class Settings {
    private static final String HIDDEN = "not shown, it may hold a password";

    private final Map<Setting, Given> given = new EnumMap<>(Setting.class);
    private final List<FieldError> problems = new ArrayList<>();

    /** A value and where it was set, for error messages: the flag, the environment variable or the key. */
    private record Given(String text, String source) {}

    private Settings() {}

    static Settings of(Set<Setting> known, Map<Setting, String> flags, Map<String, String> environment) {
        var settings = new Settings();
        for (Setting setting : known) {
            String flag = flags.get(setting);
            String variable = environment.get(setting.variable());
            if (flag != null) {
                settings.given.put(setting, new Given(flag, setting.flag()));
            } else if (variable != null && !variable.isBlank()) { // many tools leave an unset variable empty
                settings.given.put(setting, new Given(variable, setting.variable()));
            }
        }
        settings.addFile(known);
        return settings;
    }

    private void addFile(Set<Setting> known) {
        Given config = given.get(Setting.CONFIG);
        if (config == null) {
            return;
        }
        var file = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(config.text))) {
            file.load(reader);
        } catch (NoSuchFileException e) {
            problem(config.source, config.text, "a file that exists");
        } catch (IOException | IllegalArgumentException e) {
            problem(config.source, config.text, "a readable properties file in UTF-8; " + e);
        }
        String name = String.valueOf(Path.of(config.text).getFileName());
        for (String key : new TreeSet<>(file.stringPropertyNames())) {
            String source = key + " in " + name;
            Setting setting = Setting.ofKey(key)
                    .filter(one -> known.contains(one) && one != Setting.CONFIG)
                    .orElse(null);
            if (setting == null) {
                problem(source, file.getProperty(key), "a key that this command knows: " + keys(known));
            } else {
                given.putIfAbsent(setting, new Given(file.getProperty(key).strip(), source));
            }
        }
    }

    private static String keys(Set<Setting> known) {
        return known.stream()
                .filter(setting -> setting != Setting.CONFIG)
                .map(Setting::key)
                .collect(Collectors.joining(", "));
    }

    /** Adds a problem of a setting, with the flag, variable or key by which it was set. */
    void problem(Setting setting, String expected) {
        Given value = given.get(setting);
        if (value == null) {
            problem(setting.flag(), setting.secret() ? "missing" : String.valueOf(setting.fallback()), expected);
        } else {
            problem(value.source, setting.secret() ? HIDDEN : value.text, expected);
        }
    }

    /**
     * Adds a problem that a component reported for a field, under the name of its setting: {@code --public-url} for the
     * field {@code publicUrl}.
     */
    void problem(FieldError error) {
        String key = error.field().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        Setting.ofKey(key).ifPresentOrElse(setting -> problem(setting, error.expected()), () -> problems.add(error));
    }

    private void problem(String source, String value, String expected) {
        problems.add(new FieldError(source, value, expected));
    }

    void throwIfWrong() {
        if (!problems.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
        }
    }

    /** Returns where each given setting was set, such as {@code LONGHAUL_SLOTS}. */
    List<String> sources() {
        return given.values().stream().map(Given::source).toList();
    }

    boolean has(Setting setting) {
        return given.containsKey(setting);
    }

    @Nullable
    String text(Setting setting) {
        Given value = given.get(setting);
        return value == null ? setting.fallback() : value.text;
    }

    /**
     * Parses the value of a setting. Returns null if it is not set. If it is invalid, adds a problem and returns null.
     */
    <T> @Nullable T parsed(Setting setting, Function<String, T> parser) {
        String text = text(setting);
        if (text == null) {
            return null;
        }
        try {
            if (text.isBlank()) {
                throw new IllegalArgumentException("not empty");
            }
            return parser.apply(text.strip());
        } catch (IllegalArgumentException e) {
            problem(setting, String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Parses the text and checks the rule; otherwise throws an exception whose message is {@code expected}. */
    static <T> T valid(String text, Function<String, T> parser, Predicate<T> rule, String expected) {
        T value;
        try {
            value = parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(expected, e);
        }
        if (!rule.test(value)) {
            throw new IllegalArgumentException(expected);
        }
        return value;
    }

    int number(Setting setting, int least, int most, int otherwise) {
        Integer value = parsed(
                setting,
                text -> valid(
                        text,
                        Integer::valueOf,
                        number -> number >= least && number <= most,
                        "a whole number, " + least + " to " + most));
        return value == null ? otherwise : value;
    }

    Duration time(Setting setting, Duration least) {
        Duration value = parsed(setting, text -> DurationText.parse(text, least));
        return value == null ? least : value;
    }

    boolean flag(Setting setting) {
        Boolean value = parsed(setting, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("true or false");
        });
        return value != null && value;
    }

    List<String> list(Setting setting) {
        List<String> values = parsed(setting, text -> {
            List<String> parts =
                    Arrays.stream(text.split(",", -1)).map(String::strip).toList();
            if (parts.contains("")) {
                throw new IllegalArgumentException("values separated by commas, none of them empty");
            }
            return parts;
        });
        return values == null ? List.of() : values;
    }

    /** Returns the file of a setting; null if it is not set. Adds a problem if it cannot be read. */
    @Nullable
    Path file(Setting setting) {
        return parsed(setting, text -> {
            Path path = Path.of(text);
            if (!Files.isReadable(path)) {
                throw new IllegalArgumentException("a file that exists and can be read");
            }
            return path;
        });
    }
}
