package dev.longhaul.cli.deploy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs shell scripts in namespaces of their own, with a root that has this machine's directories, an empty /tmp, and
 * directories of a test in place of others. Stands in for a container where there is no container engine.
 */
final class ChangedRoot {
    private static final String MOUNTS = """
            set -e
            root=%s
            mkdir -p $root
            mount -t tmpfs none $root
            for each in /*; do
                case $each in /tmp | /opt | /src | /out) continue ;; esac
                if [ -L $each ]; then
                    cp -P $each $root$each
                elif [ -d $each ]; then
                    mkdir $root$each
                    mount --rbind $each $root$each
                fi
            done
            mount -t proc none $root/proc
            mkdir -p $root/tmp $root/opt
            mount -t tmpfs none $root/tmp
            """;

    private static final String READ_ONLY = """
            for each in $root $root/bin $root/etc $root/home $root/lib $root/opt/longhaul $root/root $root/usr $root/var; do
                if ! [ -L $each ] && mountpoint -q $each; then mount -o remount,bind,ro $each; fi
            done
            """;

    private final String mounts;

    /** @param directories by their place under the root */
    ChangedRoot(Path root, Map<String, Path> directories) {
        var text = new StringBuilder(MOUNTS.formatted(root));
        directories.forEach((place, directory) ->
                text.append("mkdir -p $root%s\nmount --bind %s $root%s\n".formatted(place, directory, place)));
        mounts = text.toString();
    }

    /** Runs the script as root of the namespaces. */
    Started run(String script) {
        return unshare(mounts + "exec chroot $root sh -c \"$0\"", script);
    }

    /** Runs the script as another user without capabilities, on a read-only tree but for /tmp. */
    Started runReadOnly(String user, String group, String script) {
        String as = "exec unshare --user --map-user=%s --map-group=%s --root=$root setpriv --no-new-privs sh -c \"$0\"";
        return unshare(mounts + READ_ONLY + as.formatted(user, group), script);
    }

    private static Started unshare(String setUp, String script) {
        return new Started(new ProcessBuilder(List.of(
                "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", setUp, script)));
    }
}
