package dev.longhaul.cli.deploy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** The Helm chart, linted and rendered by Helm itself. */
final class Chart {
    static final Path HOME = Path.of("..", "deploy", "helm", "longhaul");
    static final String NAMESPACE = "jobs";

    private final TemplateCommand template;

    private Chart(Path home) {
        template = new Helm(home).template().withName("longhaul").withKubeVersion("1.32.0");
    }

    /** The chart without its hooks. */
    Chart() {
        this(HOME);
    }

    /**
     * The chart in which hooks are ordinary manifests, with annotations that begin with {@code hook}: the library
     * renders no hooks.
     *
     * @param directory for a copy of the chart
     */
    static Chart withHooks(Path directory) {
        try (Stream<Path> files = Files.walk(HOME)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = directory.resolve(HOME.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.writeString(copy, Files.readString(file).replace("helm.sh/hook", "hook"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Chart(directory);
    }

    static LintResult lint() {
        return new Helm(HOME).lint().strict().call();
    }

    Chart with(String valuesFile) {
        template.withValuesFile(HOME.resolve(valuesFile));
        return this;
    }

    Chart with(Map<String, Object> values) {
        values.forEach(template::set);
        return this;
    }

    String render(String namespace) {
        return template.withNamespace(namespace).call();
    }
}
