package dev.longhaul.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that a {@link Shell} has started. Its end is heard of by whoever reads its output to the end. */
final class ShellRun extends Process {
    private final Process shell;
    private final long pid;
    private final MarkedStream out;
    private final InputStream stdout;
    private final MarkedStream stderr;
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();

    ShellRun(Process shell, long pid, MarkedStream stdout, MarkedStream stderr) {
        this.shell = shell;
        this.pid = pid;
        this.out = stdout;
        this.stdout = new Ending(stdout);
        this.stderr = stderr;
    }

    /** Whether all that it printed has been read: what has not would be taken for the next one's. */
    boolean isHeard() {
        return out.said() != null && stderr.said() != null;
    }

    /** Its shell has been killed with it, or by it. */
    void shellEnded() {
        exit.complete(shell.exitValue());
    }

    /** Reads the exit code with the mark. */
    private final class Ending extends InputStream {
        private final MarkedStream in;

        private Ending(MarkedStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            int one = in.read();
            heard(one);
            return one;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, length);
            heard(count);
            return count;
        }

        private void heard(int count) {
            String said = in.said();
            if (count < 0 && said != null) {
                exit.complete(Integer.valueOf(said));
            }
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
        return stdout;
    }

    @Override
    public InputStream getErrorStream() {
        return stderr;
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return exit.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean waitFor(long time, TimeUnit unit) throws InterruptedException {
        try {
            exit.get(time, unit);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int exitValue() {
        if (!exit.isDone()) {
            throw new IllegalThreadStateException("it runs");
        }
        return exit.join();
    }

    @Override
    public CompletableFuture<Process> onExit() {
        return exit.thenApply(code -> this);
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public void destroy() {
        shell.destroyForcibly();
    }
}
