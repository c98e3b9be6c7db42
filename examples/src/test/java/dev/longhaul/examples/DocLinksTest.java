package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks that relative links in all Markdown pages lead to files that exist, and their anchors to headings that exist. */
class DocLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK =
            Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)]*))?\\)|(?:src|srcset)=\"([^\"]+)\"");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern INCLUDE = Pattern.compile("<include>([^<:]+)</include>");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

    /** A relative link of a page. */
    private record Link(
            Path page, String text, Path file, @Nullable String anchor) {
        @Override
        public String toString() {
            return ROOT.relativize(page) + ": " + text;
        }
    }

    @Test
    void every_link_leads_to_a_file_and_a_heading() throws IOException {
        var broken = new ArrayList<Link>();
        int links = 0;
        for (Path page : pages()) {
            for (Link link : links(page)) {
                links++;
                boolean found = Files.exists(link.file)
                        && (link.anchor == null || anchors(link.file).contains(link.anchor));
                if (!found) {
                    broken.add(link);
                }
            }
        }
        assertThat(broken).isEmpty();
        System.out.println("links checked: " + links);
    }

    @Test
    void every_link_leads_to_a_file_of_the_distribution() throws IOException {
        List<PathMatcher> included = INCLUDE.matcher(Files.readString(ROOT.resolve("cli/src/tar/tar.xml")))
                .results()
                .map(include -> FileSystems.getDefault().getPathMatcher("glob:" + include.group(1)))
                .toList();
        var missing = new ArrayList<Link>();
        for (Path page : pages()) {
            for (Link link : links(page)) {
                Path file = ROOT.relativize(Files.isDirectory(link.file) ? link.file.resolve("x") : link.file);
                if (included.stream().noneMatch(one -> one.matches(file))) {
                    missing.add(link);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static List<Link> links(Path page) throws IOException {
        var links = new ArrayList<Link>();
        String text = CODE.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""))
                .replaceAll("code");
        for (var link : LINK.matcher(text).results().toList()) {
            String target = link.group(3) != null ? link.group(3) : link.group(1);
            if (!target.contains(":") && !target.startsWith("/")) { // otherwise another site
                Path file = target.isEmpty() ? page : page.resolveSibling(target);
                links.add(new Link(page, link.group(), file.normalize(), link.group(2)));
            }
        }
        return links;
    }

    @Test
    void the_index_lists_every_page() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        for (Path page : pages()) {
            Path inDocs = ROOT.resolve("docs").relativize(page);
            boolean listed =
                    inDocs.startsWith("..") || inDocs.startsWith("decisions") || inDocs.equals(Path.of("README.md"));
            assertThat(listed || index.contains("(" + inDocs + ")"))
                    .as("docs/README.md lists " + inDocs)
                    .isTrue();
        }
    }

    /** The anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        var anchors = new HashSet<String>();
        if (!page.toString().endsWith(".md")) {
            return anchors;
        }
        var seen = new HashMap<String, Integer>();
        String text = FENCED.matcher(Files.readString(page)).replaceAll("");
        HEADING.matcher(text).results().forEach(heading -> {
            String anchor = heading.group(1)
                    .replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .strip()
                    .replace(' ', '-');
            int times = seen.merge(anchor, 1, Integer::sum);
            anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
        });
        return anchors;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> deploy = Files.walk(ROOT.resolve("deploy"));
                Stream<Path> root = Files.list(ROOT)) {
            return Stream.concat(Stream.concat(docs, deploy), root)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }
}
