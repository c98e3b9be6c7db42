package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Checks rules that the poms of all modules follow. */
class PomsTest {
    private static final Path ROOT = Path.of("..");

    private static List<String> texts(Path pom, String path) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        var nodes = (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
        var texts = new ArrayList<String>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }

    /** The modules, except the shop: its pom is as users write it, with Spring Boot's parent. */
    private static List<Path> modules() throws Exception {
        return texts(ROOT.resolve("pom.xml"), "/project/modules/module").stream()
                .filter(module -> !module.equals("examples/spring-boot"))
                .map(module -> ROOT.resolve(module).resolve("pom.xml"))
                .toList();
    }

    @Test
    void the_bom_names_every_module_that_is_published() throws Exception {
        var published = new ArrayList<String>();
        for (Path pom : modules()) {
            if (texts(pom, "/project/properties/maven.deploy.skip").isEmpty()) {
                published.addAll(texts(pom, "/project/artifactId"));
            }
        }
        published.remove("longhaul-bom");
        assertThat(texts(
                        ROOT.resolve("bom/pom.xml"),
                        "/project/dependencyManagement/dependencies/dependency/artifactId"))
                .containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void one_version_is_named_everywhere() throws Exception {
        String version = texts(ROOT.resolve("pom.xml"), "/project/version").get(0);
        for (Path pom : modules()) {
            assertThat(texts(pom, "/project/parent/version | /project/version"))
                    .as("%s", pom)
                    .containsExactly(version);
        }
        assertThat(texts(Path.of("pom.xml"), "/project/properties/distribution.version"))
                .containsExactly(version.replace("-SNAPSHOT", ""));
    }

    @Test
    void every_module_has_a_name_for_the_progress_of_the_build_and_a_description() throws Exception {
        for (Path pom : modules()) {
            assertThat(texts(pom, "/project/name"))
                    .as("%s", pom)
                    .singleElement()
                    .asString()
                    .matches("Longhaul: .+");
            assertThat(texts(pom, "/project/description")).as("%s", pom).hasSize(1);
        }
    }

    /** Maven downloads them for every build, even one that runs no tests. */
    @Test
    void dependencies_of_tests_are_left_out_of_the_launchers_build() throws Exception {
        for (Path pom : modules()) {
            if (pom.startsWith(ROOT.resolve("examples"))) {
                continue; // not in the launcher's build
            }
            assertThat(texts(pom, "/project/dependencies/dependency[scope='test']/artifactId"))
                    .as("%s: move them to its profile tests", pom)
                    .isEmpty();
        }
    }
}
