# Runs "$@", the server, for a JVM that may be killed at any time. The JVM holds the other end of standard input: each line
# is a signal to send to the server, and end of file means that the JVM has exited.
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
    while read -r signal <&3; do
        kill -s "$signal" "$server"
    done
    # Fast shutdown first. It writes all dirty pages, which may take long; an immediate shutdown leaves them to recovery.
    # Repeated, because a server that is just starting ignores signals.
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
