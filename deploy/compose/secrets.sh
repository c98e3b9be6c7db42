#!/bin/sh
# Creates the passwords and keys of compose.yaml in secrets/, once. Existing files stay as they are.
set -eu
cd "$(dirname -- "$0")"
umask 077
mkdir -p secrets

random() {
    od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

for name in admin-key postgres-password grafana-password; do
    [ -e "secrets/$name" ] || random >"secrets/$name"
done
[ -e secrets/pgpass ] || printf '*:*:*:longhaul:%s\n' "$(cat secrets/postgres-password)" >secrets/pgpass

# The containers of Longhaul run as the owner of these files. Grafana has a user of its own; the directory protects its password.
if [ "$(id -u)" -eq 0 ]; then
    chown 10001:10001 secrets/admin-key secrets/pgpass
else
    others=$(grep -v '^LONGHAUL_USER=' .env 2>/dev/null || true)
    {
        [ -z "$others" ] || printf '%s\n' "$others"
        printf 'LONGHAUL_USER=%s:%s\n' "$(id -u)" "$(id -g)"
    } >.env
fi
chmod 444 secrets/grafana-password
