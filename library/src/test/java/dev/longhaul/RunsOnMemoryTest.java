package dev.longhaul;

class RunsOnMemoryTest extends RunsContract {
    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().memory();
    }
}
