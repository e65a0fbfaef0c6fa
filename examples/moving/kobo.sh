#!/usr/bin/env bash
# Moves the submissions of a form of KoboToolbox: kobo.sh NAME FILE.csv, or kobo.sh NAME PAGE.json…
source "${BASH_SOURCE%/*}/move.sh"
case $2 in
  *.csv)
    create "$1" --from "$2" --unique /_uuid
    bring "$2"
    ;;
  *)
    node "$here/lines.mjs" results "${@:2}" > "$work/submissions.ndjson"
    create "$1" --from "$work/submissions.ndjson" --unique /_uuid
    bring "$work/submissions.ndjson" /_submission_time
    ;;
esac
