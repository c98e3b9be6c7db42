package dev.longhaul.cli.client;

/** While it is open, a signal that ends this program (Ctrl-C) makes it say that the job goes on, and exit accordingly. */
final class StillGoing implements AutoCloseable {
    private final Screen screen;
    private final String jobId;
    private final Thread hook = new Thread(this::leave, "longhaul-still-going");

    StillGoing(Screen screen, String jobId) {
        this.screen = screen;
        this.jobId = jobId;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void leave() {
        if (screen.live()) {
            screen.out().println();
        }
        screen.out().flush();
        say();
        // Once the program is ending, only this can still choose the exit code.
        Runtime.getRuntime().halt(Outcome.STILL_GOING);
    }

    void say() {
        screen.err().println("longhaul: job " + jobId + " is still going; longhaul watch " + jobId + " goes on here");
        screen.err().flush();
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending, and the hook runs.
        }
    }
}
