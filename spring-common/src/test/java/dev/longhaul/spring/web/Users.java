package dev.longhaul.spring.web;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/** The users of the application under test; their passwords are their names. */
public final class Users {
    private Users() {}

    public static List<UserDetails> all() {
        return Stream.of("viewer", "operator", "admin", "nobody")
                .map(name -> User.withUsername(name)
                        .password("{noop}" + name)
                        .roles(name.equals("nobody") ? "USER" : "LONGHAUL_" + name.toUpperCase(java.util.Locale.ROOT))
                        .build())
                .toList();
    }
}
