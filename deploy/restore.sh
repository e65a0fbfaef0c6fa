#!/usr/bin/env bash
# Restores a backup into the running compose stack. The database must be empty; --force drops its contents.
# What was erased since then is erased again, if a later backup lies beside it.
#
# deploy/restore.sh FILE [--force]
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${2:---force}" != --force ]; then
  echo "usage: deploy/restore.sh FILE [--force]" >&2
  exit 2
fi
exec 3< "$1" 4< "$1"
later=
for file in "$(dirname "$1")"/sluice-*.backup; do
  if [ -f "$file" ] && [[ $(basename "$file") > $(basename "$1") ]]; then later=$file; fi
done
if [ -n "$later" ]; then exec 5< "$later"; fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
services=(api ingest-worker export-worker query-worker)
admin=(docker compose run --rm --no-deps -T ingest-worker sluice-admin)

"${admin[@]}" backup verify - <&3

docker compose stop "${services[@]}"
# Starts the services even after a failure: they wait while the database is only partly restored.
trap 'docker compose start "${services[@]}"' EXIT
"${admin[@]}" restore - ${2:+--force} <&4
if [ -n "$later" ] && ! "${admin[@]}" erasures apply - <&5; then
  # Nobody who was erased comes back.
  trap - EXIT
  echo "the services stay stopped: erasures of $later were not applied" >&2
  exit 1
fi
# Redis has the jobs of the old database. The workers enqueue those of the restored one.
docker compose exec -T redis redis-cli flushall < /dev/null
trap - EXIT
docker compose start "${services[@]}"

for ((i = 0; i < 120; i++)); do
  waiting=$(docker compose ps --format '{{.Health}}' haproxy "${services[@]}" | grep -cv '^healthy$' || true)
  if [ "$waiting" = 0 ]; then
    echo "Sluice is ready"
    exit
  fi
  sleep 1
done
echo "not ready after 2 min: see docker compose ps and docker compose logs" >&2
exit 1
