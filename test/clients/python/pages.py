"""Tests the paginators and error classes of python-gitlab. Prints their results as one JSON object."""

import json
import os
import warnings

import gitlab

origin, token, plain_token = (os.environ[name] for name in ("ORIGIN", "TOKEN", "PLAIN_TOKEN"))
client = gitlab.Gitlab(origin, private_token=token)
plain = gitlab.Gitlab(origin, private_token=plain_token)
anonymous = gitlab.Gitlab(origin)
project = client.projects.get("root/lamps")

lists = {
    "issues": lambda **options: project.issues.list(order_by="created_at", sort="asc", **options),
    "projects": lambda **options: client.projects.list(pagination="keyset", order_by="id", sort="asc", **options),
    "newest projects": lambda **options: client.projects.list(pagination="keyset", order_by="id", **options),
    "groups": lambda **options: anonymous.groups.list(pagination="keyset", order_by="name", **options),
    "users": lambda **options: client.users.list(pagination="keyset", order_by="id", **options),
    "users by default": lambda **options: client.users.list(**options),
    "users by page": lambda **options: client.users.list(pagination="offset", **options),
    "tree": lambda **options: project.repository_tree(pagination="keyset", **options),
}


def key(item):
    return item["path"] if isinstance(item, dict) else item.get_id()


pages = {}
for name, read in lists.items():
    from_iterator = [key(item) for item in read(iterator=True, per_page=20)]
    collected = [key(item) for item in read(get_all=True, per_page=20)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = [key(item) for item in read(per_page=20)]
    iterator = read(iterator=True, per_page=20)
    pages[name] = {
        "rows": len(set(from_iterator)),
        "same": from_iterator == collected and from_iterator[:20] == first and len(from_iterator) == len(set(from_iterator)),
        "warned": [warning.category.__name__ for warning in caught],
        "totals": [iterator.total, iterator.total_pages],
        # Keyset pages have no number.
        "page": None if iterator.total is None else [iterator.prev_page, iterator.current_page, iterator.next_page, iterator.per_page],
    }
configured = gitlab.Gitlab(origin, private_token=token, pagination="keyset", order_by="id", per_page=10)
pages["configured"] = len({found.id for found in configured.projects.list(iterator=True)})
pages["second page"] = [issue.iid for issue in lists["issues"](page=2, per_page=20)] == list(range(21, 41))

calls = {
    "get": lambda: client.projects.get("nobody/nothing"),
    "list": lambda: project.issues.list(state="asleep"),
    "order": lambda: client.projects.list(pagination="keyset", order_by="name"),
    "create": lambda: client.projects.create({"name": "Lamps", "path": "lamps"}),
    "create without title": lambda: plain.projects.get("root/lamps").issues.create({"title": ""}),
    "create without permission": lambda: plain.users.create({"email": "a@example.com", "name": "A", "username": "a", "password": "secret phrase"}),
    "update": lambda: project.issues.update(9999, {"title": "Nothing"}),
    "delete": lambda: client.groups.delete(99999),
    "delete without permission": lambda: plain.projects.delete(project.id),
    "block": lambda: client.users.get(1).block(),
    "raw": lambda: client.http_get("/nothing"),
    "without a token": anonymous.events.list,
    "with a wrong token": lambda: gitlab.Gitlab(origin, private_token="wrong").auth(),
    "gateway": lambda: client.http_get("/metadata"),
}
errors = {}
for name, call in calls.items():
    try:
        call()
        errors[name] = None
    except gitlab.GitlabError as error:
        body = json.loads(error.response_body) if error.response_body.startswith(b"{") else error.response_body.decode()
        errors[name] = [type(error).__name__, error.response_code, error.error_message, body]

settings = client.settings.get()
settings.throttle_authenticated_api_enabled = True
settings.throttle_authenticated_api_requests_per_period = 1
limited = {
    "once": lambda: plain.http_get("/user"),
    "too often": lambda: plain.http_get("/user", obey_rate_limit=False),
    "list": lambda: plain.projects.list(obey_rate_limit=False),
}

patient = gitlab.Gitlab(origin, private_token=token, retry_transient_errors=True)
retried = patient.version()[0]
settings.save()
limits = {}
for name, call in limited.items():
    try:
        call()
        limits[name] = None
    except gitlab.GitlabError as error:
        limits[name] = [type(error).__name__, error.response_code, error.response_body.decode()]
print(json.dumps({"pages": pages, "errors": errors, "retried": retried, "limits": limits}))
