#!/usr/bin/env bash
# Moves the events of a source of Segment, from the files of its bucket: segment.sh NAME FILE.gz…
source "${BASH_SOURCE%/*}/move.sh"
gzip -cdf "${@:2}" > "$work/events.ndjson"
create "$1" --schema "$here/segment.schema.json" --unique /messageId
bring "$work/events.ndjson" /timestamp
