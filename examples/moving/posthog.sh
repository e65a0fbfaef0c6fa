#!/usr/bin/env bash
# Moves the events of a project of PostHog, from JSON lines of a batch export: posthog.sh NAME FILE…
source "${BASH_SOURCE%/*}/move.sh"
gzip -cdf "${@:2}" > "$work/events.ndjson"
create "$1" --schema "$here/posthog.schema.json" --unique /uuid
bring "$work/events.ndjson" /timestamp
