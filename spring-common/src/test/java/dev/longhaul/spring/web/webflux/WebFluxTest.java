package dev.longhaul.spring.web.webflux;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.web.Site;
import dev.longhaul.spring.web.WebApiContract;

class WebFluxTest extends WebApiContract {
    @Override
    protected Site secured(Longhaul longhaul) {
        return new NettySite(longhaul, true);
    }

    @Override
    protected Site open(Longhaul longhaul) {
        return new NettySite(longhaul, false);
    }
}
