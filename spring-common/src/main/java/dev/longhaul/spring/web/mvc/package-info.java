/** The dashboard and the REST API on Spring MVC: start with {@link dev.longhaul.spring.web.mvc.MvcHandler}. */
@NullMarked
package dev.longhaul.spring.web.mvc;

import org.jspecify.annotations.NullMarked;
