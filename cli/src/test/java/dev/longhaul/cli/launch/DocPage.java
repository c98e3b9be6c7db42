package dev.longhaul.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Markdown page and its fenced blocks. */
record DocPage(Path path, List<Block> blocks, List<String> prose) {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /**
     * A fenced block.
     *
     * @param language the word after the fence
     * @param comment the HTML comment in the line before the fence, without its marks; null if there is none
     */
    record Block(String language, @Nullable String comment, int line, String text) {
        /** The commands of a console block; a command that ends in a backslash continues in the next line. */
        List<Command> commands() {
            var commands = new ArrayList<Command>();
            List<String> lines = text.lines().toList();
            for (int i = 0; i < lines.size(); ) {
                int start = i;
                if (!lines.get(i).startsWith("$ ")) {
                    throw new AssertionError("line %d of the page (expected: $ command)".formatted(line + 1 + i));
                }
                var command = new StringBuilder(lines.get(i++).substring(2));
                while (command.toString().endsWith("\\")) {
                    command.append('\n').append(lines.get(i++));
                }
                var output = new StringBuilder();
                while (i < lines.size() && !lines.get(i).startsWith("$ ")) {
                    output.append(lines.get(i++)).append('\n');
                }
                commands.add(new Command(line + 1 + start, command.toString(), output.toString()));
            }
            return commands;
        }
    }

    /** A command, where it is on the page, and what the page says it prints. */
    record Command(int line, String text, String output) {}

    /** README.md, CONTRIBUTING.md, CHANGELOG.md and all pages under docs/. */
    static List<DocPage> all() throws IOException {
        var pages = new ArrayList<DocPage>();
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            for (Path path : Stream.concat(root, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                pages.add(read(path));
            }
        }
        return pages;
    }

    private static DocPage read(Path path) throws IOException {
        List<String> lines = Files.readAllLines(path);
        var blocks = new ArrayList<Block>();
        var prose = new ArrayList<String>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.startsWith("```")) {
                prose.add(line);
                continue;
            }
            int start = i;
            var text = new StringBuilder();
            for (i++; !lines.get(i).equals("```"); i++) {
                text.append(lines.get(i)).append('\n');
            }
            String before = start == 0 ? "" : lines.get(start - 1);
            boolean comment = before.startsWith("<!-- ") && before.endsWith(" -->");
            blocks.add(new Block(
                    line.substring(3),
                    comment ? before.substring(5, before.length() - 4) : null,
                    start + 1,
                    text.toString()));
        }
        return new DocPage(path, blocks, prose);
    }

    List<Block> blocks(String language) {
        return blocks.stream().filter(block -> block.language.equals(language)).toList();
    }

    @Override
    public String toString() {
        return ROOT.relativize(path).toString();
    }
}
