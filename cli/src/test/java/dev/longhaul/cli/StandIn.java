package dev.longhaul.cli;

import java.util.concurrent.CountDownLatch;

/** The program in the stand-in jar of {@link LauncherTest}: prints its arguments, or waits for a signal. */
public final class StandIn {
    private StandIn() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1 && args[0].equals("wait")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("stopped in order")));
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
        for (var arg : args) {
            System.out.println("<" + arg + ">");
        }
    }
}
