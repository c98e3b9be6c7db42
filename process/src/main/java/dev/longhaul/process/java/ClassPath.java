package dev.longhaul.process.java;

import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.supervise.ClassPlace;
import dev.longhaul.process.supervise.NestedJars;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class path of a child JVM: plain files with the classes of a definition and of {@link ChildMain}. */
final class ClassPath {
    private ClassPath() {}

    /**
     * Returns the class path for a definition of that provider. Fails if the classes that a child needs at its start
     * are missing.
     */
    static String of(JobDefinition<?, ?> definition, String provider, NestedJars jars) {
        Set<String> entries = new LinkedHashSet<>();
        ClassLoader system = ClassLoader.getSystemClassLoader();
        ClassLoader loader = definition.handler().getClass().getClassLoader();
        for (; loader != null && loader != system; loader = loader.getParent()) {
            if (loader instanceof URLClassLoader own) {
                for (URL url : own.getURLs()) {
                    entries.add(jars.fileOf(ClassPlace.of(url)).toString());
                }
            }
        }
        entries.add(absolute(System.getProperty("java.class.path")));
        String classPath = String.join(File.pathSeparator, entries);
        for (String type : List.of(ChildMain.class.getName(), provider)) {
            if (!contains(classPath, type)) {
                throw new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        definition.ref() + ": isolation: process (expected: the class " + type
                                + " in jars or directories that a child JVM can load, from the class path, a"
                                + " URLClassLoader or Spring Boot's executable jar; or isolation thread)");
            }
        }
        return classPath;
    }

    /** Returns whether a JVM with that class path finds the class, also through a jar's manifest. */
    private static boolean contains(String classPath, String type) {
        var urls = new ArrayList<URL>();
        try {
            for (String entry : classPath.split(File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            try (var loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
                return loader.findResource(type.replace('.', '/') + ".class") != null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot search for " + type + " in " + classPath, e);
        }
    }

    /** Makes entries absolute, because a child runs in another directory. */
    static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
