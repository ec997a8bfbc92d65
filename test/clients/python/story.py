"""Works through a day of one user with python-gitlab. Prints the values that the client returned as one JSON object."""

import json
import os

import gitlab

client = gitlab.Gitlab(os.environ["ORIGIN"], private_token=os.environ["TOKEN"])
client.auth()
seen = {"username": client.user.username, "version": client.version()[0]}

project = client.projects.create({"name": "Signal lamps", "visibility": "public"})
by_path = client.projects.get(project.path_with_namespace)
seen["same_project"] = by_path.id == project.id

issue = project.issues.create({"title": "Lamp 7 stays dark", "description": "Since the storm.", "labels": ["hardware", "track 2"]})
note = issue.notes.create({"body": "The fuse is blown."})
seen["note"] = {"body": note.body, "author": note.author["username"], "system": note.system}
issue.state_event = "close"
issue.save()
seen["state"] = project.issues.get(issue.iid).state
seen["labels"] = project.issues.get(issue.iid).labels
seen["closed_issues"] = [found.iid for found in project.issues.list(state="closed", get_all=True)]

seen["project_events"] = [
    [event.action_name, event.target_type, event.target_title] for event in project.events.list(get_all=True)
]
seen["own_events"] = len(client.events.list(get_all=True))
seen["comments_only"] = [event.note["body"] for event in client.events.list(action="commented", get_all=True)]

group = client.groups.create({"name": "Lamps", "path": "lamps"})
seen["notification_levels"] = []
for level in ["watch", "participating", "mention", "disabled", "global", "custom"]:
    for owner in (client, group, project):
        settings = owner.notificationsettings.get()
        settings.level = level
        if level == "custom":
            settings.new_note = True
        settings.save()
    read = [owner.notificationsettings.get().level for owner in (client, group, project)]
    seen["notification_levels"].append(read)
seen["notification_events"] = {name: project.notificationsettings.get().events[name] for name in ("new_note", "new_issue", "failed_pipeline")}
seen["notification_email"] = client.notificationsettings.get().notification_email
email = client.user.emails.create({"email": "root@work.example"})
seen["emails"] = [[found.email, found.confirmed_at] for found in client.user.emails.list(get_all=True)]
email.delete()

for number in range(45):
    project.issues.create({"title": f"Check lamp {number}"})
seen["walked"] = len({found.iid for found in project.issues.list(iterator=True, per_page=20)})
seen["total"] = project.issues.list(iterator=True, per_page=20).total

friend = client.users.create({"email": "kim@example.com", "name": "Kim", "username": "kim", "force_random_password": True})
seen["users"] = sorted(user.username for user in client.users.list(iterator=True))
member = project.members.create({"user_id": friend.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
seen["member_level"] = member.access_level
member.delete()
seen["joined_and_left"] = [event.action_name for event in friend.events.list(get_all=True)]

refusals = {}
for name, call in {
    "missing": lambda: client.projects.get("nobody/nothing"),
    "invalid": lambda: client.events.list(action="dancing"),
    "again": lambda: client.users.create({"email": "kim@example.com", "name": "Kim", "username": "kim2", "force_random_password": True}),
    "level": lambda: client.notificationsettings.update(new_data={"level": "loud"}),
    "address": lambda: client.notificationsettings.update(new_data={"notification_email": "kim@example.com"}),
    "email": lambda: client.user.emails.create({"email": "kim@example.com"}),
    "anonymous": lambda: gitlab.Gitlab(os.environ["ORIGIN"]).events.list(),
}.items():
    try:
        call()
        refusals[name] = None
    except gitlab.GitlabError as error:
        refusals[name] = [error.response_code, error.error_message]
seen["refusals"] = refusals

friend = client.users.get(friend.id)
friend.username = "kimberly"
friend.save()
seen["renamed"] = client.users.get(friend.id).username
group = client.groups.create({"name": "Lamps", "path": "lamps-of-kim"})
group.members.create({"user_id": friend.id, "access_level": gitlab.const.AccessLevel.OWNER})
group.members.delete(client.user.id)
seen["deleted"] = []
for attempt in [{}, {"hard_delete": True}]:
    try:
        client.users.delete(friend.id, **attempt)
        seen["deleted"].append(None)
    except gitlab.GitlabDeleteError as error:
        seen["deleted"].append([error.response_code, error.error_message])
other = client.users.create({"email": "lee@example.com", "name": "Lee", "username": "lee", "force_random_password": True})
other.delete()
seen["left"] = sorted(user.username for user in client.users.list(iterator=True, exclude_internal=True))
print(json.dumps(seen))
