"""Walks over the classes of python-gitlab: calls each method with marked arguments against a recorder to find the request it makes.

Prints the results as one line of JSON. Then reads calls from standard input, one per line, and prints the outcome of each.
"""

import functools
import inspect
import json
import re
import sys
import warnings

import gitlab
import gitlab.base
import gitlab.v4.objects
import requests

warnings.simplefilter("ignore")

MARK = re.compile(r"mark-(\d+)-mark")
# Members of every manager and object, which make no request.
OWN = set(dir(gitlab.base.RESTManager)) | set(dir(gitlab.base.RESTObject))
# Names that the library reserves as keyword arguments.
KEYWORDS = {"path", "verb", "iterator", "raw", "timeout", "query_data", "post_data", "streamed", "files", "all", "as_list", "id", "data"}


class Recorded(BaseException):
    """Carries a recorded request instead of sending it. A BaseException, so that the library does not catch it."""


class Recorder(requests.adapters.BaseAdapter):
    def send(self, request, **_):
        raise Recorded(request)

    def close(self):
        pass


class Marks:
    """Recognizable values, by the argument or attribute that they stand for."""

    def __init__(self):
        self.numbers = {}

    def of(self, what):
        number = self.numbers.setdefault(what, len(self.numbers))
        return f"mark-{number}-mark"

    def copy(self):
        copied = Marks()
        copied.numbers.update(self.numbers)
        return copied

    def named(self, number):
        return next(what for what, known in self.numbers.items() if known == number)


@functools.cache
def connect(origin, token):
    return gitlab.Gitlab(origin, private_token=token)


@functools.cache
def manager_classes(cls):
    """Returns the managers of an object's class, by attribute."""
    module = sys.modules[cls.__module__]
    found = {}
    for name, annotation in sorted(cls.__dict__.get("__annotations__", {}).items()):
        class_name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if name != "manager" and class_name.endswith("Manager") and class_name != "RESTManager":
            found[name] = getattr(module, class_name)
    return found


@functools.cache
def attributes_of(manager_class):
    """Returns the attributes that an object of a manager needs for its path and those of its managers."""
    cls = manager_class._obj_cls
    names = {"id", "iid"}
    for child in manager_classes(cls).values():
        names |= set(child._from_parent_attrs.values())
    names |= set(manager_class._update_attrs.required)
    names -= set(manager_class._from_parent_attrs)
    if cls._id_attr is not None:
        names.add(cls._id_attr)
    return sorted(names)


def manager_of(owner, name):
    """Returns a manager of the client or of an object. The signed-in user, which also has managers, only exists after authentication."""
    if isinstance(owner, gitlab.Gitlab) and name == "user":
        return gitlab.v4.objects.CurrentUserManager(owner)
    return getattr(owner, name)


def target_of(client, chain, on, value_of):
    """Returns the manager at the end of a chain of attributes, or an object of it. `value_of` returns attribute values of the objects between."""
    owner = client
    for level, name in enumerate(chain):
        manager = manager_of(owner, name)
        if level == len(chain) - 1 and on == "manager":
            return manager
        cls = getattr(manager, "_obj_cls", None)
        attrs = {attr: value_of((level, attr)) for attr in attributes_of(type(manager))}
        owner = cls(manager, {attr: value for attr, value in attrs.items() if value is not None})
    return owner


def arguments_of(method, manager, value_of, with_id=True, everything=False):
    """Returns the arguments of a method, with a value for each."""
    arguments = {}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        name, annotation = parameter.name, str(parameter.annotation)
        required = parameter.default is parameter.empty or everything
        if name in ("data", "new_data"):
            attrs = manager._create_attrs if name == "data" else manager._update_attrs
            keys = [*attrs.required, *attrs.exclusive[:1]]
            arguments[name] = {key: value_of((name, key)) for key in keys}
        elif name == "id" and not required:
            if with_id:
                arguments[name] = value_of(("argument", name))
        elif required and name not in ("lazy", "iterator", "streamed", "action", "chunk_size", "func"):
            value = value_of(("argument", name))
            arguments[name] = b"content" if "bytes" in annotation else [value] if "list" in annotation.lower() else value
    return arguments


def recorded_by(call):
    try:
        call()
    except Recorded as recorded:
        return recorded.args[0]
    except Exception:
        pass
    return None


def members_of(request):
    """Returns the members of query and body."""
    members = {}
    for pair in requests.utils.urlparse(request.url).query.split("&"):
        name, _, value = pair.partition("=")
        members[requests.utils.unquote(name)] = requests.utils.unquote(value)
    try:
        members.update(json.loads(request.body))
    except (TypeError, ValueError):
        pass
    return members


def walk():
    client = gitlab.Gitlab("http://recorder", private_token="none")
    client.session.mount("http://", Recorder())
    # Looking for proxies in the environment would take longer than everything else about a request.
    client.session.trust_env = False
    recipes, silent, known, targets = [], [], set(), {}

    def target_and_marks(chain, on):
        """Returns the target of a chain, which all its methods share because making it takes long, and the marks of its attributes."""
        if (*chain, on) not in targets:
            marks = Marks()
            targets[(*chain, on)] = target_of(client, chain, on, marks.of), marks
        target, marks = targets[(*chain, on)]
        return target, marks.copy()

    def try_method(title, chain, on, name):
        before = len(recipes)
        for with_id, everything in ((True, False), (False, False), (True, True)):
            if everything and len(recipes) > before:
                continue
            target, marks = target_and_marks(chain, on)

            def call():
                manager = target if on == "manager" else getattr(target, "manager", None)
                method = getattr(target, name)
                arguments = arguments_of(method, manager, marks.of, with_id, everything)
                if name == "save":
                    target.anything = "new"
                return method(**arguments)

            request = recorded_by(call)
            if request is None:
                continue
            segments, path_arguments = [], []
            for segment in requests.utils.urlparse(request.url).path.split("/"):
                mark = MARK.fullmatch(segment)
                segments.append(MARK.sub("{}", segment))
                if mark is not None:
                    path_arguments.append(marks.named(int(mark[1])))
            path = "/".join(segments)
            if "None" in path.split("/") or (title, request.method, path) in known:
                continue
            known.add((title, request.method, path))
            # Arguments that have another name in the request.
            renamed = {}
            for key, value in members_of(request).items():
                for number in MARK.findall(json.dumps(value)):
                    what = marks.named(int(number))
                    if what[0] == "argument":
                        renamed[what[1]] = key.removesuffix("[]")
            recipes.append(
                {
                    "method": title,
                    "verb": request.method,
                    "path": path,
                    "path_arguments": path_arguments,
                    "renamed": renamed,
                    "with_id": with_id,
                    "chain": chain,
                    "on": on,
                    "name": name,
                }
            )
        if len(recipes) == before:
            silent.append(title)

    def methods_of(cls, owned):
        for name, member in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_") and name not in owned:
                yield name

    for name in methods_of(gitlab.Gitlab, set()):
        if not name.startswith("http_"):
            try_method(f"Gitlab.{name}", [], "client", name)
    # Each class is visited once, at the shortest chain that leads to it.
    managers = {name: manager_of(client, name) for name in vars(client)}
    waiting = [([name], type(manager)) for name, manager in managers.items() if isinstance(manager, gitlab.base.RESTManager)]
    visited = {manager_class for _, manager_class in waiting}
    for chain, manager_class in waiting:
        for name in methods_of(manager_class, OWN):
            try_method(f"{manager_class.__name__}.{name}", chain, "manager", name)
        cls = getattr(manager_class, "_obj_cls", None)
        if cls is None:
            continue
        for name in methods_of(cls, OWN):
            try_method(f"{cls.__name__}.{name}", chain, "object", name)
        for name, child in manager_classes(cls).items():
            if child not in visited:
                visited.add(child)
                waiting.append(([*chain, name], child))
    requesting = {recipe["method"] for recipe in recipes}
    unreached = {
        name
        for name, cls in inspect.getmembers(gitlab.v4.objects, inspect.isclass)
        if issubclass(cls, gitlab.base.RESTManager) and cls not in visited
    }
    return recipes, sorted((set(silent) - requesting) | unreached)


def plain(value):
    """Returns a decoded response as JSON values."""
    if isinstance(value, gitlab.base.RESTObject):
        return value.asdict()
    if isinstance(value, (list, gitlab.base.RESTObjectList)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        # A file may be binary; it is compared as the text that this replacement results in.
        return value.decode(errors="replace")
    if isinstance(value, requests.Response):
        return value.text
    return value


def call(recipe, order):
    params = dict(order["params"])
    path_values = dict(zip(recipe["path_arguments"], order["values"]))

    def value_of(what):
        if what in path_values:
            return path_values[what]
        if what[0] == "argument":
            return params.pop(recipe["renamed"].get(what[1], what[1]))
        if what[0] in ("data", "new_data"):
            return params.get(what[1])
        # An attribute of an object that is not in the path of the request.
        return params.get(what[1]) if recipe["name"] == "save" else None

    client = connect(order["origin"], order.get("token"))
    target = target_of(client, recipe["chain"], recipe["on"], value_of)
    manager = target if recipe["on"] == "manager" else getattr(target, "manager", None)
    method = getattr(target, recipe["name"])
    arguments = arguments_of(method, manager, value_of, recipe["with_id"])
    names = inspect.signature(method).parameters
    data = arguments.get("data", arguments.get("new_data"))
    if isinstance(data, dict):
        for name in [name for name, value in data.items() if value is None]:
            del data[name]
        data.update(params)
    elif recipe["name"] == "save":
        for name, value in params.items():
            setattr(target, name, value)
    elif recipe["verb"] == "GET" and any(name in KEYWORDS and name not in names for name in params):
        arguments["query_parameters"] = params
    else:
        arguments.update(params)
    before = target.asdict() if isinstance(target, gitlab.base.RESTObject) else None
    result = method(**arguments)
    if recipe["method"] == "Gitlab.auth":
        result = client.user
    if recipe["method"] == "Gitlab.version":
        result = dict(zip(("version", "revision"), result))
    if result is None and before is not None and target.asdict() != before:
        result = target
    outcome = {"type": type(result).__name__}
    return outcome if result is None else {**outcome, "decoded": plain(result)}


def main():
    recipes, silent = walk()
    found = [{name: recipe[name] for name in ("method", "verb", "path")} for recipe in recipes]
    by_request = {(recipe["method"], recipe["verb"], recipe["path"]): recipe for recipe in recipes}
    print(json.dumps({"found": found, "silent": silent}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            outcome = call(by_request[order["method"], order["verb"], order["path"]], order)
        except Exception as error:
            outcome = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(outcome, default=str), flush=True)


if __name__ == "__main__":
    main()
