#!/usr/bin/env bash
# Moves the answers of a form of Google Forms: google-forms.sh NAME FILE.csv
source "${BASH_SOURCE%/*}/move.sh"
# Question titles become JSON Pointers, else a dot in a title would begin a nested field.
rows=$(python3 - "$2" "$work/answers.csv" <<'PYTHON'
import csv, sys

titles, *answers = csv.reader(open(sys.argv[1], newline="", encoding="utf-8-sig"))
with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
    write = csv.writer(file)
    write.writerow("/" + title.replace("~", "~0").replace("/", "~1") for title in titles)
    write.writerows(answers)
print(len(answers))
PYTHON
)
create "$1" --from "$work/answers.csv"
before=$(entries)
sluice import "$work/answers.csv" || true
stored=$(($(entries) - before))
echo "$rows answers: $stored stored, $((rows - stored)) missing"
[ "$stored" = "$rows" ]
