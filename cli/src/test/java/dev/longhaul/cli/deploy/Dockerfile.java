package dev.longhaul.cli.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The instructions of a Dockerfile, by stage. An instruction that is not understood is an error. */
record Dockerfile(List<Stage> stages) {
    private static final Pattern PAIR = Pattern.compile("([\\w.]+)=(\"[^\"]*\"|\\S*)");
    private static final List<String> KNOWN = List.of(
            "FROM", "ARG", "WORKDIR", "COPY", "RUN", "LABEL", "ENV", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT");

    /** An instruction and its arguments. */
    record Instruction(String name, String arguments) {
        List<String> words() {
            return List.of(arguments.split(" +"));
        }

        /** The words of a command in exec form. */
        List<String> exec() {
            var words = new ArrayList<String>();
            Matcher word = Pattern.compile("\"([^\"]*)\"").matcher(arguments.substring(arguments.indexOf('[')));
            while (word.find()) {
                words.add(word.group(1));
            }
            return words;
        }

        Map<String, String> pairs() {
            var pairs = new LinkedHashMap<String, String>();
            Matcher pair = PAIR.matcher(arguments);
            while (pair.find()) {
                pairs.put(pair.group(1), pair.group(2).replace("\"", ""));
            }
            return pairs;
        }
    }

    /** What follows one FROM. */
    record Stage(List<Instruction> instructions) {
        List<Instruction> all(String name) {
            return instructions.stream().filter(one -> one.name().equals(name)).toList();
        }

        Instruction last(String name) {
            List<Instruction> all = all(name);
            if (all.isEmpty()) {
                throw new AssertionError("no " + name);
            }
            return all.get(all.size() - 1);
        }
    }

    static Dockerfile read(Path file) throws IOException {
        String text = Files.readString(file).replaceAll("(?m)^\\s*#.*\n", "").replaceAll("\\\\\n\\s*", "");
        var stages = new ArrayList<Stage>();
        for (String line : text.split("\n", -1)) {
            if (line.isBlank()) {
                continue;
            }
            String[] parts = line.strip().split(" +", 2);
            if (!KNOWN.contains(parts[0])) {
                throw new AssertionError("unknown instruction: " + line);
            }
            if (parts[0].equals("FROM")) {
                stages.add(new Stage(new ArrayList<>()));
            }
            stages.get(stages.size() - 1).instructions().add(new Instruction(parts[0], parts[1]));
        }
        return new Dockerfile(stages);
    }
}
