package dev.longhaul;

class LonghaulOnMemoryTest extends LonghaulContract {
    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().memory();
    }
}
