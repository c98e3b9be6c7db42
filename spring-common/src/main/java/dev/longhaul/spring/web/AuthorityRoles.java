package dev.longhaul.spring.web;

import dev.longhaul.access.Role;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The roles that authorities of Spring Security give.
 *
 * @param roles by authority, such as {@code ROLE_SUPPORT} → viewer
 */
public record AuthorityRoles(Map<String, Role> roles) {
    /** {@code ROLE_LONGHAUL_VIEWER} to {@code ROLE_LONGHAUL_ADMIN}. */
    public static final AuthorityRoles USUAL = new AuthorityRoles(Arrays.stream(Role.values())
            .filter(role -> role != Role.WORKER)
            .collect(Collectors.toMap(role -> "ROLE_LONGHAUL_" + role.name(), role -> role)));

    public AuthorityRoles {
        roles = Map.copyOf(roles);
    }

    /** The highest role that one of the authorities gives. */
    Optional<Role> highest(Collection<String> authorities) {
        return authorities.stream()
                .map(roles::get)
                .filter(Objects::nonNull)
                .max(Comparator.comparingLong(AuthorityRoles::covered));
    }

    /** How many roles a role includes. */
    private static long covered(Role role) {
        return Arrays.stream(Role.values()).filter(role::covers).count();
    }
}
