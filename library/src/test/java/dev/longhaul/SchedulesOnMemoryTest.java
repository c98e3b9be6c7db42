package dev.longhaul;

import dev.longhaul.memory.MemoryStore;

class SchedulesOnMemoryTest extends SchedulesContract {
    private final MemoryStore store = new MemoryStore();

    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().store(store);
    }
}
