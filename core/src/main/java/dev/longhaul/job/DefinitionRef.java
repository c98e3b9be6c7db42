package dev.longhaul.job;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;

/** Names a definition: {@code key@version}. */
public record DefinitionRef(String key, int version) implements Comparable<DefinitionRef> {
    public DefinitionRef {
        if (!Names.valid(key) || version < 1) {
            new Problems()
                    .require(Names.valid(key), "definitionKey", key, Names.RULE)
                    .require(version >= 1, "definitionVersion", version, ">= 1")
                    .throwIfAny();
        }
    }

    /** The definition written as {@code key} (version 1) or {@code key@version}. */
    public static DefinitionRef parse(String text) {
        int at = text.lastIndexOf('@');
        if (at < 0) {
            return new DefinitionRef(text, 1);
        }
        String version = text.substring(at + 1);
        boolean numeric = version.matches("[1-9][0-9]{0,8}");
        new Problems()
                .require(numeric, "definitionVersion", version, "a whole number >= 1")
                .throwIfAny();
        return new DefinitionRef(text.substring(0, at), Integer.parseInt(version));
    }

    @Override
    public int compareTo(DefinitionRef other) {
        int byKey = key.compareTo(other.key);
        return byKey != 0 ? byKey : Integer.compare(version, other.version);
    }

    @Override
    public String toString() {
        return key + "@" + version;
    }
}
