"""Teaches Schemathesis what is Sluice's own: formats, what is not to be deleted, and what is hidden from others."""

import json
import os
import re
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

hosts = st.text(LETTERS, min_size=1, max_size=20).map(lambda name: f"{name}.example")
origins = st.builds("{}://{}".format, st.sampled_from(["http", "https"]), hosts)

schemathesis.openapi.format("origin", origins)
schemathesis.openapi.format("package-url", st.builds("{}/{}".format, origins, st.text(LETTERS, max_size=20)))
schemathesis.openapi.format(
    "iso-timestamp",
    st.one_of(
        st.dates().map(lambda date: date.isoformat()),
        st.datetimes().map(lambda time: f"{time.isoformat(timespec='milliseconds')}Z"),
    ),
)
schemathesis.openapi.format("bcrypt-password", st.text(LETTERS, min_size=8, max_size=72))

# The schema of the scene's application accepts each of these lines.
lines = st.lists(
    st.dictionaries(st.text(LETTERS, min_size=1, max_size=5), st.integers(0, 1000), max_size=3), min_size=1, max_size=3
)
schemathesis.openapi.media_type(
    "application/x-ndjson", lines.map(lambda objects: "\n".join(map(json.dumps, objects)).encode())
)
schemathesis.openapi.media_type("application/offset+octet-stream", st.binary(max_size=40))


def values(name):
    """Of a dictionary, which lies in the working directory."""
    return set(re.findall(r'^"(.*)"$', Path(f"{name}.dict").read_text(), re.MULTILINE))


DOMAINS = values("domains")
KEPT = DOMAINS | values("exports") | values("imports") | values("keys")


@schemathesis.hook
def filter_body(context, body):
    """Sluice refuses the key __proto__, which OpenAPI cannot say."""
    return "__proto__" not in repr(body)


@schemathesis.hook
def before_call(context, case, kwargs):
    """A deletion of what the other requests are about goes elsewhere."""
    names = [name for name in re.findall(r"\{(\w+)\}", case.path)]
    is_dry_run = str((case.query or {}).get("dry_run")).lower() == "true"
    is_job = case.method == "POST" and case.path.endswith("/deletions") and not is_dry_run
    # A new password would end the token of all other requests.
    if case.path == "/api/users/me/password" and isinstance(case.body, dict) and "old_password" in case.body:
        case.body = {**case.body, "old_password": "not the password"}
    if (case.method == "DELETE" or is_job) and names and case.path_parameters.get(names[-1]) in KEPT:
        case.path_parameters = {**case.path_parameters, names[-1]: "kept"}


@schemathesis.check
def hidden_from_others(ctx, response, case):
    """What takes a token shows nobody but the owner anything of an application."""
    if os.environ["FUZZ_CALLER"] == "owner" or (case.path_parameters or {}).get("domain") not in DOMAINS:
        return
    takes_token = any("bearer" in scheme for scheme in case.operation.definition.raw.get("security", []))
    if takes_token and response.status_code < 400:
        raise AssertionError(f"{response.status_code} for somebody else's application")
