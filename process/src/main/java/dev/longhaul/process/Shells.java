package dev.longhaul.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The shells that wait for a command. */
final class Shells {
    /** A shell that waits takes less than a megabyte; this many short commands at once never wait for a new one. */
    private static final int MOST = 16;

    private final Deque<Shell> idle = new ArrayDeque<>();
    private boolean closed;

    /** The last one that was used: its pages are still at hand. */
    synchronized @Nullable Shell take(ProcessLimits limits) {
        for (Iterator<Shell> shells = idle.iterator(); shells.hasNext(); ) {
            Shell shell = shells.next();
            if (shell.limits().equals(limits)) {
                shells.remove();
                return shell;
            }
        }
        return null;
    }

    /** Answers with the one that must go for it, if there are enough: the one that has waited longest, or itself. */
    synchronized @Nullable Shell add(Shell shell) {
        if (closed) {
            return shell;
        }
        idle.addFirst(shell);
        return idle.size() > MOST ? idle.removeLast() : null;
    }

    /** Answers with those that are still there; no more are taken. */
    synchronized List<Shell> close() {
        closed = true;
        var all = new ArrayList<>(idle);
        idle.clear();
        return all;
    }
}
