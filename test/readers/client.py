"""Registers, uploads and exports with the client that openapi-python-client made; prints the export."""

import json
import sys
from types import ModuleType

url, folder = sys.argv[1:]
sys.path.insert(0, folder)

from sluice_client import AuthenticatedClient, Client, models
from sluice_client.api.accounts import log_in, register_user
from sluice_client.api.applications import create_application
from sluice_client.api.exports import create_export, download_export, get_export, stream_export
from sluice_client.api.uploads import upload_batch, upload_entry


def data_of(function: ModuleType, *args, **kwargs):
    """The data of the answer, where it is no failure."""
    answer = function.sync(*args, **kwargs)
    assert answer is not None and not isinstance(answer, models.Failure), answer
    return answer.data


anyone = Client(base_url=url)
username, password = "grace", "correct horse battery"
registration = models.Registration(username=username, password=password, locale=models.Locale.EN)
data_of(register_user, client=anyone, body=registration)
credentials = models.Credentials(username=username, password=password)
owner = AuthenticatedClient(base_url=url, token=data_of(log_in, client=anyone, body=credentials).token)

schema = {"type": "object", "properties": {"celsius": {"type": "number"}}}
new = models.NewApplication(
    name="Weather station", type_=models.ApplicationType.SERVER, schema=json.dumps(schema)
)
domain = data_of(create_application, client=owner, body=new).domain

refused = upload_entry.sync(domain, client=anyone, body=models.NewEntry.from_dict({"celsius": "warm"}))
assert refused.error.name == models.ErrorName.SCHEMAVALIDATIONERROR, refused
data_of(upload_entry, domain, client=anyone, body=models.NewEntry.from_dict({"celsius": 21.5}))
more = [models.NewEntry.from_dict({"celsius": celsius}) for celsius in (22, 22.5)]
assert data_of(upload_batch, domain, client=anyone, body=more).accepted == 2

streamed = stream_export.sync(domain, client=owner, columns="celsius")

job = data_of(create_export, domain, client=owner, body=models.ExportRequest(columns=["celsius"]))
while job.state in (models.JobState.WAITING, models.JobState.ACTIVE):
    job = data_of(get_export, domain, job.id, client=owner)
downloaded = download_export.sync(domain, job.id, client=owner)
assert downloaded == streamed, (downloaded, streamed)
print(streamed)
