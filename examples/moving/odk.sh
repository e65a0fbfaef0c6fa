#!/usr/bin/env bash
# Moves the submissions of a form of ODK Central: odk.sh NAME FILE.csv, or odk.sh NAME FILE.json
source "${BASH_SOURCE%/*}/move.sh"
case $2 in
  *.csv)
    create "$1" --from "$2" --unique /KEY
    bring "$2"
    ;;
  *)
    node "$here/lines.mjs" value "${@:2}" > "$work/submissions.ndjson"
    create "$1" --from "$work/submissions.ndjson" --unique /__id
    bring "$work/submissions.ndjson" /__system/submissionDate
    ;;
esac
