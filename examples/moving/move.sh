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

# move_submissions NAME CSV_ID MEMBER JSON_ID JSON_TIME FILE…: moves a CSV, or the objects of an array in JSON files.
move_submissions() {
  local name=$1 csv_id=$2 member=$3 json_id=$4 json_time=$5
  shift 5
  case $1 in
    *.csv)
      create "$name" --from "$1" --unique "$csv_id"
      bring "$1"
      ;;
    *)
      node "$here/lines.mjs" "$member" "$@" > "$work/submissions.ndjson"
      create "$name" --from "$work/submissions.ndjson" --unique "$json_id"
      bring "$work/submissions.ndjson" "$json_time"
      ;;
  esac
}

# Prints how many entries the application has.
entries() {
  sluice apps show --json | node -p 'JSON.parse(fs.readFileSync(0)).entries'
}
