#!/usr/bin/env bash
# Backs up the running compose stack into a folder. Then --keep deletes all but the newest N backups.
#
# deploy/backup.sh FOLDER [--keep N]
set -euo pipefail

keep=${3:-}
if [ $# -ne 1 ] && ! { [ $# -eq 3 ] && [ "$2" = --keep ] && [[ $keep =~ ^[1-9][0-9]*$ ]]; }; then
  echo "usage: deploy/backup.sh FOLDER [--keep N]" >&2
  exit 2
fi
umask 077
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

file=$folder/sluice-$(date -u +%Y%m%dT%H%M%SZ).backup
trap 'rm -f "$file.partial"' EXIT
docker compose run --rm --no-deps -T ingest-worker sluice-admin backup --to - > "$file.partial"
sync
mv "$file.partial" "$file"
echo "$file"

if [ -n "$keep" ]; then
  backups=("$folder"/sluice-*.backup)
  for ((i = 0; i < ${#backups[@]} - keep; i++)); do rm "${backups[i]}"; done
fi
