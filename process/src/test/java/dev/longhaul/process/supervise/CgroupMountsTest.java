package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Locations of cgroups on older and newer systems. The directories do not exist here, so the result is the mount point. */
class CgroupMountsTest {
    private static final String OF_ONE =
            "30 24 0:26 / /nowhere/one rw,relatime shared:5 - cgroup cgroup rw,cpu,cpuacct";
    private static final String OF_TWO = "29 23 0:25 / /nowhere/two rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
    private static final String OTHER = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw";

    @Test
    void are_found_in_version_2() {
        CgroupMounts mounts = CgroupMounts.of(List.of(OTHER, OF_TWO), List.of("0::/system.slice/longhaul.service"));
        assertThat(mounts.unified()).contains(Path.of("/nowhere/two"));
        assertThat(mounts.ofController("cpu")).isEmpty();
    }

    @Test
    void are_found_in_version_1_and_where_both_are() {
        CgroupMounts mounts = CgroupMounts.of(
                List.of(OTHER, OF_ONE, OF_TWO), List.of("3:cpu,cpuacct:/x", "1:name=systemd:/", "0::/"));
        assertThat(mounts.ofController("cpu")).contains(Path.of("/nowhere/one"));
        assertThat(mounts.ofController("memory")).isEmpty();
        assertThat(mounts.unified()).contains(Path.of("/nowhere/two"));
    }
}
