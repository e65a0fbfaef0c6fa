#!/usr/bin/env bash
# Moves the submissions of a form of KoboToolbox: kobo.sh NAME FILE.csv, or kobo.sh NAME PAGE.json…
source "${BASH_SOURCE%/*}/move.sh"
name=$1 && shift
move_submissions "$name" /_uuid results /_uuid /_submission_time "$@"
