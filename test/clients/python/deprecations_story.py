"""Calls elements of the API with python-gitlab that a later release removes. Prints which calls failed, as one JSON object."""

import json
import os
import sys

import gitlab

ORIGIN = os.environ["ORIGIN"]
client = gitlab.Gitlab(ORIGIN, private_token=os.environ["TOKEN"])
name = sys.argv[1]


def set_job_token_scope():
    project = client.projects.create({"name": name})
    project.ci_job_token_scope_enabled = True
    project.save()
    # The attribute is missing where the release does not have it.
    return client.projects.get(project.id).ci_job_token_scope_enabled


def register_runner():
    token = client.http_post("/runners/reset_registration_token")["token"]
    return client.runners.create({"token": token, "description": "lamp", "tag_list": ["lamps"]})


CALLS = {
    "POST /api/v4/runners/reset_registration_token": lambda: client.http_post("/runners/reset_registration_token"),
    "POST /api/v4/runners": register_runner,
    "PUT /api/v4/projects/:id": set_job_token_scope,
    "GET /api/v4/audit_events": lambda: client.audit_events.list(page=2, get_all=False),
    "GET /api/v4/projects": lambda: client.projects.list(get_all=False),
    "GET /api/v4/issues": lambda: client.issues.list(get_all=False),
    "GET /api/v4/users": lambda: client.users.list(get_all=False),
    "GET /api/v4/runners/all": lambda: client.runners_all.list(get_all=False),
}


def outcome(call):
    try:
        call()
    except (gitlab.GitlabError, AttributeError) as error:
        return str(error)
    return None


results = {request: outcome(call) for request, call in CALLS.items()}
print(json.dumps({request: error for request, error in results.items() if error is not None}))
