package dev.longhaul.process.supervise;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Environment variables as a shell script that exports them.
 *
 * @param script the export command
 * @param others variables whose names a shell rejects or interprets, to be set with {@code env}
 */
record Exports(String script, List<String> others) {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Variables to which some shells give a special meaning. */
    private static final Set<String> SPECIAL =
            Set.of("IFS", "OPTIND", "PPID", "UID", "EUID", "GROUPS", "ENV", "LINENO");

    static Exports of(Map<String, String> variables) throws IOException {
        var script = new StringBuilder("export");
        List<String> others = new ArrayList<>();
        for (var variable : variables.entrySet()) {
            String name = variable.getKey();
            if (VARIABLE.matcher(name).matches() && !SPECIAL.contains(name)) {
                script.append(' ').append(name).append('=').append(quoted(variable.getValue()));
            } else {
                others.add(name + "=" + variable.getValue());
            }
        }
        return new Exports(script.toString(), others);
    }

    /** Returns the command, preceded by {@code env} if there are other variables. */
    List<String> before(List<String> command) {
        var words = new ArrayList<String>();
        if (!others.isEmpty() || command.get(0).startsWith("-")) {
            words.addAll(List.of("/usr/bin/env", "--"));
            words.addAll(others);
        }
        words.addAll(command);
        return words;
    }

    /** Quotes a word for a shell. Within single quotes only the single quote is special. */
    static String quoted(String word) throws IOException {
        if (word.indexOf('\0') >= 0) {
            throw new IOException("a variable contains a NUL character, which environments cannot hold");
        }
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
