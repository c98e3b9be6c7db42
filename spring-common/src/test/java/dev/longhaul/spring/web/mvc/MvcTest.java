package dev.longhaul.spring.web.mvc;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.web.Site;
import dev.longhaul.spring.web.WebApiContract;

class MvcTest extends WebApiContract {
    @Override
    protected Site secured(Longhaul longhaul) throws Exception {
        return new TomcatSite(longhaul, true);
    }

    @Override
    protected Site open(Longhaul longhaul) throws Exception {
        return new TomcatSite(longhaul, false);
    }
}
