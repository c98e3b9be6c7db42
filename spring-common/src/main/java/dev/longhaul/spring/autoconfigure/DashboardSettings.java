package dev.longhaul.spring.autoconfigure;

import dev.longhaul.access.Role;
import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.web.AuthorityRoles;
import dev.longhaul.spring.web.Callers;
import dev.longhaul.spring.web.LoopbackCallers;
import dev.longhaul.spring.web.SecurityCallers;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.util.ClassUtils;

/** Checks the settings of the dashboard and derives from them, and from the application, who may use it. */
final class DashboardSettings {
    private static final String SECURITY = "org.springframework.security.web.server.WebFilterChainProxy";
    /** WebFlux applies a bean of this name: it takes the client's address from headers and removes them. */
    private static final String REACTIVE_TRANSFORMER = "forwardedHeaderTransformer";

    private static final String SERVLET_FILTER = "springSecurityFilterChain";
    private static final List<Role> ROLES =
            Arrays.stream(Role.values()).filter(role -> role != Role.WORKER).toList();

    private DashboardSettings() {}

    /** The path below the application's context path, such as {@code /longhaul}. */
    static String path(LonghaulProperties properties) {
        String given = properties.dashboard().path();
        String path = withoutSlash(given);
        if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
            throw new LonghaulConfigurationException(
                    "longhaul.dashboard.path: " + given + " (expected: / and a name, such as /longhaul or /admin/jobs)",
                    "Set the property to a path of its own: the application's pages at / would be hidden.");
        }
        return path;
    }

    static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /** The users of Spring Security if its filter is active; else this machine only. */
    static Callers callers(Map<String, String> roles, ApplicationContext context) {
        if (ClassUtils.isPresent(SECURITY, context.getClassLoader()) && secured(context)) {
            return new SecurityCallers(authorities(roles));
        }
        return new LoopbackCallers(behindProxy(context.getEnvironment()) || context.containsBean(REACTIVE_TRANSFORMER));
    }

    private static boolean secured(ApplicationContext context) {
        return context.containsBean(SERVLET_FILTER)
                || context.getBeanNamesForType(WebFilterChainProxy.class, true, false).length > 0;
    }

    private static AuthorityRoles authorities(Map<String, String> roles) {
        var all = new HashMap<>(AuthorityRoles.USUAL.roles());
        roles.forEach((authority, role) -> all.put(authority, role(authority, role)));
        return new AuthorityRoles(all);
    }

    private static Role role(String authority, String text) {
        return ROLES.stream()
                .filter(role -> role.text().equals(text.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new LonghaulConfigurationException(
                        "longhaul.dashboard.roles[" + authority + "]: " + text + " (expected: one of "
                                + ROLES.stream().map(Role::text).toList() + ")",
                        "Set the property to a role of Longhaul."));
    }

    /** Whether the server takes the client's address from headers. */
    private static boolean behindProxy(Environment environment) {
        String strategy = environment.getProperty("server.forward-headers-strategy");
        if (environment.containsProperty("server.tomcat.remoteip.remote-ip-header")
                || environment.containsProperty("server.tomcat.remoteip.protocol-header")) {
            return true;
        }
        if (strategy != null) {
            return !strategy.strip().equalsIgnoreCase("none");
        }
        // Spring Boot's default is native on a cloud platform, such as Kubernetes.
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform != null && platform.isUsingForwardHeaders();
    }
}
