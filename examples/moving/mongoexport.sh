#!/usr/bin/env bash
# Moves a collection of MongoDB, from a file of mongoexport: mongoexport.sh NAME FILE.json [TIME], where TIME is such as /at
source "${BASH_SOURCE%/*}/move.sh"
# Ids, dates and decimals become texts. Quotes within texts have a \ before them, so no text is changed.
# shellcheck disable=SC2016
sed -E 's/\{"\$(oid|date|numberDecimal)":("[^"]*")\}/\2/g' "$2" > "$work/documents.ndjson"
create "$1" --from "$work/documents.ndjson" --unique /_id
bring "$work/documents.ndjson" "${@:3}"
