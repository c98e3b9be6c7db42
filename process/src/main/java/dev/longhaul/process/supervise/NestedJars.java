package dev.longhaul.process.supervise;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies of jars that are entries of an executable jar, because another JVM loads classes from plain files only. Each
 * entry is copied once, when it is first needed. The copies are removed with the directory.
 */
public final class NestedJars {
    private final Path directory;
    private final ProcessUser user;
    private final Map<ClassPlace, Path> copies = new HashMap<>();

    /**
     * Creates an empty set of copies.
     *
     * @param directory an empty directory that the user can traverse
     * @param user the system user that loads the classes
     */
    NestedJars(Path directory, ProcessUser user) {
        this.directory = directory;
        this.user = user;
    }

    /** Returns a plain file with the classes of the place: its own file, or a copy of its entry. */
    public synchronized Path fileOf(ClassPlace place) {
        if (place.entry().isEmpty()) {
            return place.file();
        }
        Path copy = copies.get(place);
        if (copy == null) {
            copy = copy(place);
            copies.put(place, copy);
        }
        return copy;
    }

    private Path copy(ClassPlace place) {
        try (var outer = new ZipFile(place.file().toFile())) {
            // The lookup also finds a directory by its name without a slash.
            ZipEntry found = outer.getEntry(place.entry());
            if (found == null) {
                throw ClassPlace.unusable(
                        place.entry() + " of " + place.file(), "an entry of that file, not of a jar within it");
            }
            String name = found.getName().replaceFirst("/$", "");
            // The number distinguishes entries with the same name.
            Path copy = directory.resolve(copies.size() + "-" + name.substring(name.lastIndexOf('/') + 1)
                    + (found.isDirectory() ? ".jar" : ""));
            if (found.isDirectory()) {
                copyDirectory(outer, found.getName(), copy);
            } else {
                try (var in = outer.getInputStream(found)) {
                    Files.copy(in, copy);
                }
            }
            user.letRead(copy);
            return copy;
        } catch (IOException e) {
            throw ClassPlace.unusable(
                    place.entry() + " of " + place.file(), "a jar that can be copied to " + directory + "; " + e);
        }
    }

    /** Copies a directory of classes into a jar, because class data archives consist of classes of jars only. */
    private static void copyDirectory(ZipFile outer, String directory, Path copy) throws IOException {
        try (var jar = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(copy)))) {
            ZipEntry manifest = outer.getEntry(JarFile.MANIFEST_NAME);
            if (manifest != null && outer.getEntry(directory + JarFile.MANIFEST_NAME) == null) {
                // The manifest contains package versions, and whether the jar is a multi-release jar.
                add(jar, JarFile.MANIFEST_NAME, outer, manifest);
            }
            List<? extends ZipEntry> inside = outer.stream()
                    .filter(entry -> entry.getName().startsWith(directory)
                            && !entry.getName().equals(directory))
                    .toList();
            for (ZipEntry entry : inside) {
                add(jar, entry.getName().substring(directory.length()), outer, entry);
            }
        }
    }

    private static void add(ZipOutputStream jar, String name, ZipFile outer, ZipEntry entry) throws IOException {
        var added = new ZipEntry(name);
        added.setTime(entry.getTime());
        // Stored without compression, because the worker waits for the copy at its start.
        added.setMethod(ZipEntry.STORED);
        added.setSize(entry.getSize());
        added.setCrc(entry.getCrc());
        jar.putNextEntry(added);
        try (var in = outer.getInputStream(entry)) {
            in.transferTo(jar);
        }
        jar.closeEntry();
    }
}
