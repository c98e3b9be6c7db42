package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.error.LonghaulException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/**
 * On most servers, in a systemd unit or a container, only cgroup v2 is available and the worker is not in the root cgroup.
 * The test creates that environment on any machine with user-mode Linux, a kernel that runs as a process.
 */
@Tag("full")
class CgroupsOfVersion2Test {
    private static final Path KERNEL = Path.of("/usr/bin/linux.uml");
    /** The classes that {@link InGroups} needs. */
    private static final String CLASS_PATH = Stream.of(
                    InGroups.class, Supervisor.class, LonghaulException.class, Logger.class)
            .map(type -> ClassPlace.of(type).file().toString())
            .collect(Collectors.joining(" "));

    @TempDir
    private Path directory;

    @Test
    void confine_the_processes_of_a_plain_user_who_was_given_a_group() throws Exception {
        String printed = boot("""
                mkdir $groups/unit
                chown 65534 $groups/unit $groups/unit/cgroup.procs $groups/unit/cgroup.subtree_control
                in_group unit setpriv --reuid 65534 --regid 65534 --clear-groups
                """);
        assertThat(printed)
                .contains(
                        "first: CGROUP_KILL",
                        "kill: CGROUP_KILL, complete: true",
                        "heard",
                        "exit code: 7",
                        "hog out of memory: true",
                        "bomb exit code: 2",
                        "left: []");
    }

    @Test
    void are_not_made_useless_where_there_are_others_in_the_group() throws Exception {
        String printed = boot("""
                mkdir $groups/shared
                sh -c "echo \\$\\$ > $groups/shared/cgroup.procs; exec sleep 600" &
                in_group shared
                """);
        assertThat(printed)
                .contains(
                        "first: CGROUP_KILL",
                        "kill: CGROUP_KILL, complete: false",
                        "heard",
                        "exit code: 7",
                        "hog out of memory: true",
                        "left: []");
    }

    /** Runs a script as the first process of a kernel that can read, but not change, the files of this machine. */
    private String boot(String script) throws Exception {
        assumeTrue(Files.isExecutable(KERNEL), "user-mode Linux (package user-mode-linux) is not installed");
        Path init = directory.resolve("init");
        Files.writeString(init, """
                #!/bin/sh
                export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/mnt
                mount -t proc proc /proc
                mount -t sysfs sys /sys
                mount -t tmpfs -o mode=1777 tmp /mnt
                groups=/sys/fs/cgroup
                mount -t cgroup2 none $groups
                for controller in memory pids cpu; do
                    echo +$controller > $groups/cgroup.subtree_control
                done
                path=
                for part in %s; do
                    copy=/mnt/$(printf %%s "$part" | tr / -)
                    cp -r "$part" "$copy"
                    chmod -R a+rX "$copy"
                    path=$path:$copy
                done
                # The group, and the words before the command.
                in_group() {
                    group=$groups/$1
                    shift
                    sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@" %s -XX:TieredStopAtLevel=1 \\
                        -XX:+UseSerialGC -Djava.io.tmpdir=/mnt -cp "$path" dev.longhaul.process.supervise.InGroups 2>&1
                }
                %s
                halt -f
                """.formatted(CLASS_PATH, JavaCommand.executable(), script));
        Files.setPosixFilePermissions(init, PosixFilePermissions.fromString("rwxr-xr-x"));
        var builder = new ProcessBuilder(
                        KERNEL.toString(),
                        "mem=1024M",
                        "root=/dev/root",
                        "rootfstype=hostfs",
                        "rootflags=/",
                        "ro",
                        "init=" + init,
                        "con=null",
                        "con0=null,fd:1",
                        "quiet",
                        "uml_dir=" + directory)
                .redirectErrorStream(true);
        Process kernel = builder.start();
        kernel.getOutputStream().close();
        try {
            kernel.onExit().orTimeout(2, TimeUnit.MINUTES).exceptionally(e -> {
                kernel.descendants().forEach(ProcessHandle::destroyForcibly);
                return kernel.destroyForcibly();
            });
            return new String(kernel.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            kernel.descendants().forEach(ProcessHandle::destroyForcibly);
            kernel.destroyForcibly();
        }
    }
}
