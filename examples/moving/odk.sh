#!/usr/bin/env bash
# Moves the submissions of a form of ODK Central: odk.sh NAME FILE.csv, or odk.sh NAME FILE.json
source "${BASH_SOURCE%/*}/move.sh"
name=$1 && shift
move_submissions "$name" /KEY value /__id /__system/submissionDate "$@"
