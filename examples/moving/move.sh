#!/usr/bin/env bash
# What the scripts of this folder share. They need Node.js, and `sluice` on the PATH with a login.
set -euo pipefail
here=${BASH_SOURCE%/*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# create NAME OPTION…: makes an application, unless SLUICE_APP names one.
create() {
  export SLUICE_APP=${SLUICE_APP:-$(sluice apps create "$@")}
  echo "application $SLUICE_APP"
}

# bring FILE [TIME]: imports the file, and asks for the id of each line. TIME points to the time that entries keep.
bring() {
  if [ $# = 2 ]; then
    node "$here/wrap.mjs" "$2" < "$1" > "$work/wrapped.ndjson"
    sluice import "$work/wrapped.ndjson" --entries wrapped || true
  else
    sluice import "$1" || true
  fi
  sluice verify "$1" 2>&1
}

# Prints how many entries the application has.
entries() {
  sluice apps show --json | node -p 'JSON.parse(fs.readFileSync(0)).entries'
}
