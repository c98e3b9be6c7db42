# Runs "$@", the server, for a JVM that may be killed at any moment. The JVM holds the other end of standard input:
# each line it writes is a signal for the server, and the end of input means that the JVM is gone.
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
    while read -r signal <&3; do
        kill -s "$signal" "$server"
    done
    # A fast shutdown first. It writes all dirty pages, which may take long; an immediate one leaves them to recovery.
    # Repeated, since a server that is just being started ignores signals.
    kill -s INT "$server"
    sleep 0.5
    while kill -s QUIT "$server"; do
        sleep 0.5
    done
) 2>/dev/null &
watcher=$!
wait "$server"
status=$?
kill -s KILL "$watcher"
exit "$status"
