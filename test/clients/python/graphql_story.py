"""Reads tracked errors with python-gitlab's GraphQL client, which fetches the schema and validates every query. Prints one JSON object."""

import json
import os

import gitlab
import requests
from gql.transport.exceptions import TransportQueryError

ORIGIN = os.environ["ORIGIN"]
client = gitlab.Gitlab(ORIGIN, private_token=os.environ["TOKEN"])
project = client.projects.create({"name": "Signal lamps"})
PATH = project.path_with_namespace
client.http_put(f"/projects/{project.id}/error_tracking/settings", post_data={"active": True, "integrated": True})
key = client.http_post(f"/projects/{project.id}/error_tracking/client_keys")
for number in range(25):
    event = {
        "event_id": f"{number + 1:032x}",
        "platform": "python",
        "exception": {
            "values": [
                {
                    "type": "ValueError",
                    "value": "cannot shine",
                    "stacktrace": {"frames": [{"filename": "lamp.py", "function": f"step{number}", "lineno": 7, "context_line": "raise"}]},
                }
            ]
        },
    }
    response = requests.post(
        f"{ORIGIN}/api/v4/error_tracking/collector/api/{project.id}/store/",
        params={"sentry_key": key["public_key"]},
        json=event,
        timeout=30,
    )
    response.raise_for_status()

ERRORS = """query Errors($path: ID!, $after: String) {
  currentUser { username }
  project(fullPath: $path) {
    id
    fullPath
    sentryErrors { errors(after: $after) { nodes { sentryId title status count } pageInfo { endCursor hasNextPage } } }
  }
}"""
DETAIL = """query Detail($path: ID!, $id: GitlabErrorTrackingDetailedErrorID!) {
  project(fullPath: $path) {
    sentryErrors {
      detailedError(id: $id) { id title type shortId integrated frequency { count } }
      errorStackTrace(id: $id) { issueId stackTraceEntries { fileName function line col traceContext { line code } } }
    }
  }
}"""

seen = {}
with gitlab.GraphQL(ORIGIN, token=os.environ["TOKEN"], fetch_schema_from_transport=True) as graphql:
    pages, after, ids = [], None, []
    while True:
        found = graphql.execute(ERRORS, variable_values={"path": PATH, "after": after})
        errors = found["project"]["sentryErrors"]["errors"]
        pages.append(len(errors["nodes"]))
        ids += [error["sentryId"] for error in errors["nodes"]]
        if not errors["pageInfo"]["hasNextPage"]:
            break
        after = errors["pageInfo"]["endCursor"]
    seen["username"] = found["currentUser"]["username"]
    seen["same_project"] = found["project"]["id"] == f"gid://gitlab/Project/{project.id}"
    seen["pages"] = pages
    seen["errors"] = len(set(ids))
    gid = f"gid://gitlab/Gitlab::ErrorTracking::DetailedError/{ids[-1]}"
    detail = graphql.execute(DETAIL, variable_values={"path": PATH, "id": gid})["project"]["sentryErrors"]
    seen["detail"] = [detail["detailedError"]["id"] == gid, detail["detailedError"]["title"], detail["detailedError"]["integrated"]]
    seen["events"] = sum(hour["count"] for hour in detail["detailedError"]["frequency"])
    seen["stack"] = detail["errorStackTrace"]["stackTraceEntries"]
with gitlab.GraphQL(ORIGIN) as graphql:
    seen["anonymous"] = graphql.execute(ERRORS, variable_values={"path": PATH})
with gitlab.GraphQL(ORIGIN, token="nobody-has-this-one") as graphql:
    try:
        graphql.execute("{ currentUser { username } }")
    except TransportQueryError as error:
        seen["refused"] = error.errors
print(json.dumps(seen))
