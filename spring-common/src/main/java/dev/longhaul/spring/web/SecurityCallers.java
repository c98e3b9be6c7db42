package dev.longhaul.spring.web;

import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Problem;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Limits;
import java.util.List;
import java.util.TreeSet;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

/** Callers are the users of the application's Spring Security; their authorities decide about their role. */
public final class SecurityCallers implements Callers {
    private final AuthorityRoles roles;

    public SecurityCallers(AuthorityRoles roles) {
        this.roles = roles;
    }

    @Override
    public Caller of(Head request) {
        if (!(request.principal() instanceof Authentication user)
                || !user.isAuthenticated()
                || user instanceof AnonymousAuthenticationToken) {
            throw new LonghaulException(ErrorCode.UNAUTHENTICATED, "log in to this application");
        }
        List<String> authorities = user.getAuthorities().stream()
                .map(GrantedAuthority::getAuthority)
                .map(String::valueOf)
                .toList();
        Role role = roles.highest(authorities)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.PERMISSION_DENIED,
                        "authorities: " + Problem.brief(authorities.toString()) + " (expected: one of "
                                + new TreeSet<>(roles.roles().keySet())
                                + "; longhaul.dashboard.roles maps others)"));
        String name = user.getName();
        return new Caller(name.length() > Limits.KEY ? name.substring(0, Limits.KEY) : name, Rights.of(role), null);
    }
}
