"""Directs generated requests to existing data, with the tokens of an administrator and of an ordinary user in turn.

The first request of an operation is an example that succeeds. One third of the others is sent as generated; the rest gets the path of an
example, and half of these also get its parameters.
"""

import collections
import gc
import json
import os
import random
import threading
import urllib.parse

import schemathesis

with open(os.environ["EXAMPLES_FILE"], encoding="utf8") as file:
    known = json.load(file)
tokens, examples, reserved = (known[name] for name in ("tokens", "examples", "reserved"))
own_examples_only, spare_tokens = known["ownExamplesOnly"], known["spareTokens"]
counts = collections.Counter()
lock = threading.Lock()
# Many short-lived objects are created next to a large document; collecting garbage less often saves a sixth of the time.
gc.freeze()
gc.set_threshold(100_000)


def is_reserved(path, parameters):
    """Returns true if a request could delete a token or user that all other requests need."""
    ids = {str(value) for value in parameters.values()}
    return any(path.startswith(prefix) and ids & set(values) for prefix, values in reserved.items())


def wire(params):
    """Returns parameters in the form of a query."""
    pairs = {}
    for name, value in params.items():
        if isinstance(value, list):
            pairs[f"{name}[]"] = value
        elif isinstance(value, dict):
            pairs.update({f"{name}[{key}]": member for key, member in value.items()})
        else:
            pairs[name] = str(value).lower() if isinstance(value, bool) else value
    return pairs


def follow(case, example, with_params, alone):
    """Gives a request the path, and optionally the parameters, of an example."""
    case.path_parameters = {name: urllib.parse.quote(value, safe="") for name, value in example["path"].items()}
    if not with_params:
        return
    if case.operation.method.upper() in ("GET", "DELETE"):
        case.query = {**({} if alone else case.query or {}), **wire(example["params"])}
    elif case.operation.body and (alone or isinstance(case.body, dict)):
        case.body = {**({} if alone else case.body), **example["params"]}
        case.media_type = "application/json"


@schemathesis.hook
def before_call(context, case, kwargs):
    path, method = case.operation.path, case.operation.method.upper()
    label = f"{method} {path}"
    with lock:
        number = counts[label]
        counts[label] += 1
        # Operations that may revoke the token of the request get a spare one.
        spare = spare_tokens.pop() if path.startswith("/api/v4/personal_access_tokens") and method != "GET" else None
    choice = random.Random(f"{label} {number}")
    found = examples.get(label, [])
    if found and (number == 0 or label in own_examples_only or choice.random() < 2 / 3):
        follow(case, found[number % len(found)], number == 0 or choice.random() < 1 / 2, number == 0)
    if method != "GET" and is_reserved(path, case.path_parameters or {}):
        case.path_parameters = {name: "999999" for name in case.path_parameters}
    headers = {name: value for name, value in (case.headers or {}).items() if name.lower() not in ("private-token", "authorization")}
    # Most requests do not act as another user.
    if number == 0 or choice.random() < 3 / 4:
        headers.pop("Sudo", None)
    if isinstance(case.query, dict):
        case.query.pop("access_token", None)
    # A rate limit that one request turns on would refuse all others.
    if path == "/api/v4/application/settings":
        for params in (case.query, case.body):
            for name in [name for name in params if name.startswith("throttle_")] if isinstance(params, dict) else []:
                del params[name]
    if not path.startswith("/oauth/"):
        headers["Authorization"] = f"Bearer {spare or tokens[number % len(tokens)]}"
    case.headers = headers
