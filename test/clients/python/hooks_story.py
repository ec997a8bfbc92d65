"""Creates hooks with python-gitlab, receives what they deliver, and prints the values that the client returned as one JSON object."""

import json
import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gitlab

received = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        received.put((self.headers["X-Gitlab-Event"], self.headers["X-Gitlab-Token"], body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{receiver.server_port}/hook"

client = gitlab.Gitlab(os.environ["ORIGIN"], private_token=os.environ["TOKEN"])
project = client.projects.create({"name": "Signal lamps"})
seen = {}

hook = project.hooks.create({"url": url, "token": "of the receiver", "push_events": False, "issues_events": True})
seen["created"] = [hook.project_id == project.id, hook.url == url, hook.push_events, hook.issues_events, hasattr(hook, "token")]
seen["listed"] = [found.id == hook.id for found in project.hooks.list(get_all=True)]

project.issues.create({"title": "Lamp 7 stays dark"})
event, token, body = received.get(timeout=100)
seen["delivered"] = [event, token, body["object_kind"], body["object_attributes"]["title"]]

hook.test("issues_events")
event, token, body = received.get(timeout=100)
seen["tested"] = [event, body["object_attributes"]["title"]]

hook.note_events = True
hook.save()
seen["saved"] = project.hooks.get(hook.id).note_events

try:
    project.hooks.create({"url": "https://example.com/hook"})
except gitlab.GitlabCreateError as error:
    seen["refused"] = [error.response_code, error.error_message]

group = client.groups.create({"name": "Lamps", "path": "lamps"})
of_group = group.hooks.create({"url": url, "issues_events": True, "push_events": False})
inside = client.projects.create({"name": "Inside", "namespace_id": group.id})
inside.issues.create({"title": "Lamp 8"})
event, token, body = received.get(timeout=100)
seen["of_group"] = [event, token, body["project"]["path_with_namespace"]]
of_group.delete()
seen["left_in_group"] = group.hooks.list(get_all=True)

project.hooks.delete(hook.id)
seen["left"] = project.hooks.list(get_all=True)
receiver.shutdown()
print(json.dumps(seen))
