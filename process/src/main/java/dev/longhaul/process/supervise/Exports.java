package dev.longhaul.process.supervise;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Variables as a shell is given them: quoted, for it to export.
 *
 * @param script what the shell is to do
 * @param others those whose names it does not take or that mean something to it, for the program env
 */
record Exports(String script, List<String> others) {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Variables that mean something to one shell or another. */
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

    /** The command with what must come before it for the others. */
    List<String> before(List<String> command) {
        var words = new ArrayList<String>();
        if (!others.isEmpty() || command.get(0).startsWith("-")) {
            words.addAll(List.of("/usr/bin/env", "--"));
            words.addAll(others);
        }
        words.addAll(command);
        return words;
    }

    /** Between single quotes a shell takes everything as it is, but for the single quote. */
    static String quoted(String word) throws IOException {
        if (word.indexOf('\0') >= 0) {
            throw new IOException("a word with a NUL character, which no program can be given");
        }
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
