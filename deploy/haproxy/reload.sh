#!/usr/bin/env bash
# Reloads HAProxy's configuration and certificate without a failed request:
#   docker compose exec haproxy bash /usr/local/etc/haproxy/reload.sh
set -euo pipefail

haproxy -c -q -f /usr/local/etc/haproxy/haproxy.cfg

# Saves the addresses of the replicas for the new process.
exec 3<>/dev/tcp/127.0.0.1/9999
echo 'show servers state' >&3
cat <&3 >/tmp/server-state

kill -USR2 1
