"""Keeps SSH keys and CI/CD variables with python-gitlab, and searches. Prints the values that the client returned as one JSON object."""

import json
import os

import gitlab

client = gitlab.Gitlab(os.environ["ORIGIN"], private_token=os.environ["TOKEN"])
client.auth()
seen = {}


def refusal(call):
    try:
        call()
        return None
    except gitlab.GitlabError as error:
        return [error.response_code, error.error_message]


def keys_of(owner):
    return [found.title for found in owner.keys.list(iterator=True, per_page=1)]


first, second = os.environ["KEYS"].split(",")
kim = client.users.create({"email": "kim@example.com", "name": "Kim", "username": "kim", "force_random_password": True})
own = client.user.keys.create({"title": "Laptop", "key": first})
client.user.keys.create({"title": "Desk", "key": second, "usage_type": "signing", "expires_at": "2999-01-01"})
seen["keys"] = {
    "own": keys_of(client.user),
    "shown": client.user.keys.get(own.id).key == own.key,
    "user": client.keys.get(own.id).user["username"],
    "fingerprint": client.keys.get(fingerprint=os.environ["FINGERPRINT"]).title,
    "taken": refusal(lambda: kim.keys.create({"title": "Same", "key": first})),
    "invalid": refusal(lambda: client.user.keys.create({"title": "Odd", "key": "ssh-rsa AAAA"})),
}
own.delete()
for_kim = kim.keys.create({"title": "Given", "key": first})
seen["keys"]["given"] = [keys_of(client.user), keys_of(kim), for_kim.usage_type]
kim.keys.delete(for_kim.id)
seen["keys"]["removed"] = keys_of(kim)

project = client.projects.create({"name": "Signal lamps"})
group = client.groups.create({"name": "Lamps", "path": "lamps"})
seen["variables"] = {}
for name, owner in {"project": project, "group": group}.items():
    made = owner.variables.create({"key": "LAMP", "value": "dark", "protected": True})
    owner.variables.create({"key": "WATCH", "value": "night", "variable_type": "file"})
    made.value = "bright"
    made.save()
    owner.variables.update("LAMP", {"protected": False})
    seen["variables"][name] = {
        "listed": [[found.key, found.variable_type] for found in owner.variables.list(iterator=True, per_page=1)],
        "shown": [owner.variables.get("LAMP").value, owner.variables.get("LAMP").protected],
        "taken": refusal(lambda: owner.variables.create({"key": "LAMP", "value": "x"})),
    }
    owner.variables.get("LAMP").delete()
    owner.variables.delete("WATCH")
    seen["variables"][name]["left"] = owner.variables.list(get_all=True)
    seen["variables"][name]["missing"] = refusal(lambda: owner.variables.get("LAMP"))
lamps = client.projects.create({"name": "Lamp store", "namespace_id": group.id})
lamps.issues.create({"title": "The lamp is dark"}).notes.create({"body": "A lamp fuse"})
lamps.milestones.create({"title": "Lamp plan"})
files = [{"action": "create", "file_path": "lamp.md", "content": "one\nthe lamp\n"}]
lamps.commits.create({"branch": "main", "commit_message": "Add a lamp", "actions": files})
lamps.snippets.create({"title": "Lamp snippet", "visibility": "public", "files": [{"file_path": "a.txt", "content": "a"}]})
scope = gitlab.const.SearchScope


def found(owner, where, text="lamp"):
    return [item.get("title") or item.get("name") or item.get("body") or item["path"] for item in owner.search(where, text, iterator=True, per_page=1)]


seen["search"] = {
    "instance": [found(client, where) for where in (scope.PROJECTS, scope.ISSUES, scope.MERGE_REQUESTS, scope.MILESTONES, scope.GLOBAL_SNIPPET_TITLES)],
    "group": [found(group, where) for where in (scope.PROJECTS, scope.ISSUES, scope.MERGE_REQUESTS, scope.MILESTONES)],
    "project": [found(lamps, where) for where in (scope.ISSUES, scope.MILESTONES, scope.PROJECT_NOTES, scope.COMMITS, scope.BLOBS, scope.WIKI_BLOBS)],
    "users": [found(owner, scope.USERS, "root") for owner in (client, group, lamps)],
    "blobs": [[blob["startline"], blob["data"]] for blob in lamps.search(scope.BLOBS, "lamp path:md", iterator=True)],
    "advanced": refusal(lambda: client.search(scope.BLOBS, "lamp")),
    "unknown": refusal(lambda: group.search("lamps", "lamp")),
}
print(json.dumps(seen))
