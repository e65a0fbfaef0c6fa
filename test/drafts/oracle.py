"""Judges payloads as two other validators do, jsonschema and jsonschema-rs: a line of JSON in, a line of JSON out."""

import json
import sys

import jsonschema_rs
from jsonschema.validators import validator_for

builders = {
    "jsonschema": lambda schema: validator_for(schema)(schema),
    "jsonschema-rs": jsonschema_rs.validator_for,
}

for line in sys.stdin:
    question = json.loads(line)
    answers = {}
    for name in question["validators"]:
        validator = builders[name](question["schema"])
        answers[name] = [validator.is_valid(payload) for payload in question["payloads"]]
    print(json.dumps(answers), flush=True)
