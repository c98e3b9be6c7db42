package dev.longhaul.spring.web.mvc;

import dev.longhaul.spring.web.Csrf;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** The CSRF token of Spring Security, if its protection is on. */
public final class MvcCsrf implements Function<HttpServletRequest, @Nullable Csrf> {
    @Override
    public @Nullable Csrf apply(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? new Csrf(token.getHeaderName(), token.getToken())
                : null;
    }
}
