"""Signs in with all methods of Authlib. Prints requested actions as lines of JSON, and finally the results."""

import http.server
import json
import os
import queue
import sys
import threading
import urllib.parse

from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oauth2.base import invalid_error_characters
from authlib.oidc.core import CodeIDToken
from joserfc.errors import JoseError

ORIGIN = os.environ["ORIGIN"]
APPLICATIONS = json.loads(os.environ["APPLICATIONS"])
PUBLIC = APPLICATIONS["public"]["client_id"]
CONFIDENTIAL = (APPLICATIONS["confidential"]["client_id"], APPLICATIONS["confidential"]["client_secret"])
SCOPE = "openid profile email read_user"
LIFETIME = 7201

callbacks = queue.Queue()


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/callback"):
            callbacks.put(f"http://127.0.0.1:{self.server.server_port}{self.path}")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Back</title><h1>You can close this tab</h1>")

    def log_message(self, *_):
        pass


listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
threading.Thread(target=listener.serve_forever, daemon=True).start()
REDIRECT = f"http://127.0.0.1:{listener.server_port}/callback"


def request(**action):
    print(json.dumps(action), flush=True)
    sys.stdin.readline()


def callback_of(action, address):
    request(action=action, address=address)
    return callbacks.get(timeout=30)


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(address).query))


def refused(call):
    """Returns class and code of the exception that Authlib raises. Descriptions may only contain the characters that RFC 6749 allows."""
    try:
        call()
    except (AuthlibBaseError, JoseError) as error:
        if invalid_error_characters(error.description or ""):
            return f"forbidden characters in {error.description!r}"
        return [type(error).__name__, error.error]
    return "not refused"


refreshes = []


def session(client_id, client_secret=None, **more):
    made = OAuth2Session(
        client_id,
        client_secret,
        scope=SCOPE,
        redirect_uri=REDIRECT,
        token_endpoint=metadata["token_endpoint"],
        update_token=lambda token, refresh_token=None, access_token=None: refreshes.append(refresh_token),
        default_timeout=30,
        **more,
    )
    # Proxies of the environment must not be used for the local server.
    made.trust_env = False
    return made


anonymous = OAuth2Session()
anonymous.trust_env = False
metadata = anonymous.get(f"{ORIGIN}/.well-known/openid-configuration", withhold_token=True).json()
keys = anonymous.get(metadata["jwks_uri"], withhold_token=True).json()
seen = {"issuer": metadata["issuer"] == ORIGIN}


def claims_of(id_token, client_id, nonce):
    options = {"iss": {"essential": True, "value": metadata["issuer"]}, "aud": {"essential": True, "value": client_id}}
    params = {"client_id": client_id, "nonce": nonce}
    claims = jwt.decode(id_token, JsonWebKey.import_key_set(keys), CodeIDToken, options, params)
    claims.validate()
    return claims


def status_of_user(client):
    return client.get(f"{ORIGIN}/api/v4/user").status_code


# A public application uses PKCE with S256 instead of a secret.
client = session(PUBLIC, code_challenge_method="S256")
verifier, nonce = generate_token(48), generate_token(20)
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
back = callback_of("approve", address)
seen["callback"] = sorted(query(back))
seen["iss"] = query(back)["iss"] == metadata["issuer"]
foreign = back.replace(f"state={state}", "state=another")
refusals = {"state": refused(lambda: client.fetch_token(authorization_response=foreign, state=state, code_verifier=verifier))}
token = dict(client.fetch_token(authorization_response=back, state=state, code_verifier=verifier))
seen["token"] = {name: token[name] for name in ("token_type", "expires_in", "scope")}
seen["members"] = sorted(token)
claims = claims_of(token["id_token"], PUBLIC, nonce)
seen["id_token"] = {name: claims[name] for name in ("sub", "name", "preferred_username")} | {"alg": claims.header["alg"]}
head, body, signature = token["id_token"].split(".")
other = ("B" if signature[0] == "A" else "A") + signature[1:]
refusals["signature"] = refused(lambda: claims_of(f"{head}.{body}.{other}", PUBLIC, nonce))
refusals["nonce"] = refused(lambda: claims_of(token["id_token"], PUBLIC, "another"))
refusals["audience"] = refused(lambda: claims_of(token["id_token"], CONFIDENTIAL[0], nonce))
info = client.get(metadata["userinfo_endpoint"]).json()
seen["userinfo"] = {name: info[name] for name in ("sub", "name", "preferred_username", "email", "email_verified", "groups")}
seen["user"] = client.get(f"{ORIGIN}/api/v4/user").json()["username"]

# The access token expires, and the next request refreshes it automatically.
request(action="pass", seconds=LIFETIME)
client.token["expires_at"] -= LIFETIME
seen["refreshed"] = {
    "status": status_of_user(client),
    "spent": refreshes == [token["refresh_token"]],
    "replaced": client.token["access_token"] != token["access_token"] and client.token["refresh_token"] != token["refresh_token"],
    "token_type": client.token["token_type"],
    "scope": client.token["scope"],
    "status again": status_of_user(client),
    "refreshes": len(refreshes),
}
token_url = metadata["token_endpoint"]
refusals["spent"] = refused(lambda: session(PUBLIC).refresh_token(token_url, refresh_token=token["refresh_token"]))
refusals["wider"] = refused(
    lambda: session(PUBLIC).refresh_token(token_url, refresh_token=client.token["refresh_token"], scope="api")
)
seen["status afterwards"] = status_of_user(client)

revoked = client.token["refresh_token"]
response = client.revoke_token(metadata["revocation_endpoint"], token=client.token["access_token"], token_type_hint="access_token")
seen["revoked"] = [response.status_code, response.json(), status_of_user(client)]
refusals["revoked"] = refused(lambda: session(PUBLIC).refresh_token(token_url, refresh_token=revoked))

# A public application needs consent each time. A wrong verifier uses up the code, and so does the right one.
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
back = callback_of("approve", address)
exchange = {"authorization_response": back, "state": state}
refusals["verifier"] = refused(lambda: client.fetch_token(**exchange, code_verifier=generate_token(48)))
refusals["guess"] = refused(lambda: client.fetch_token(**exchange, code_verifier=verifier))
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
exchange = {"authorization_response": callback_of("approve", address), "state": state, "code_verifier": verifier}
client.fetch_token(**exchange)
refusals["replay"] = refused(lambda: session(PUBLIC).fetch_token(**exchange))
seen["replayed"] = status_of_user(client)
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
denial = query(callback_of("deny", address))
seen["denied"] = [denial["error"], denial["state"] == state, denial["iss"] == ORIGIN, sorted(denial)]
address, state = session(PUBLIC).create_authorization_url(metadata["authorization_endpoint"])
refusal = query(callback_of("visit", address))
seen["no challenge"] = [refusal["error"], refusal["state"] == state]

# A confidential application sends its secret by HTTP Basic, without PKCE.
board = session(*CONFIDENTIAL)
address, state = board.create_authorization_url(metadata["authorization_endpoint"])
board_token = dict(board.fetch_token(authorization_response=callback_of("approve", address), state=state))
seen["secret"] = {name: board_token[name] for name in ("token_type", "expires_in", "scope")}
introspected = board.introspect_token(
    metadata["introspection_endpoint"], token=board_token["access_token"], token_type_hint="access_token"
).json()
seen["introspected"] = {
    "active": introspected["active"],
    "own": introspected["client_id"] == CONFIDENTIAL[0],
    "scope": introspected["scope"],
    "token_type": introspected["token_type"],
    "lifetime": introspected["exp"] - introspected["iat"],
}
seen["introspected unknown"] = board.introspect_token(metadata["introspection_endpoint"], token="unknown").json()
# An earlier grant makes consent unnecessary. This time the secret is in the body.
body_client = session(*CONFIDENTIAL, token_endpoint_auth_method="client_secret_post", revocation_endpoint_auth_method="client_secret_post")
address, state = body_client.create_authorization_url(metadata["authorization_endpoint"])
body_client.fetch_token(authorization_response=callback_of("visit", address), state=state)
seen["posted"] = status_of_user(body_client)
body_client.refresh_token()
seen["posted and refreshed"] = status_of_user(body_client)
response = body_client.revoke_token(metadata["revocation_endpoint"], token_type_hint="refresh_token")
seen["revoked by refresh token"] = [response.status_code, status_of_user(body_client)]
seen["introspected revoked"] = board.introspect_token(
    metadata["introspection_endpoint"], token=body_client.token["access_token"]
).json()
response = session(PUBLIC).revoke_token(metadata["revocation_endpoint"], token=board_token["access_token"])
seen["revoked by another client"] = [response.status_code, response.json()["error"], status_of_user(board)]

# Client credentials.
own = session(*CONFIDENTIAL)
own_token = dict(own.fetch_token(grant_type="client_credentials", scope="read_user"))
seen["client credentials"] = {name: value for name, value in own_token.items() if name not in ("access_token", "created_at", "expires_at")}
seen["user of client credentials"] = status_of_user(own)
for name, call in {
    "secret": lambda: session(CONFIDENTIAL[0], "wrong").fetch_token(grant_type="client_credentials"),
    "unknown client": lambda: session("nobody", "wrong").fetch_token(grant_type="client_credentials"),
    "public client": lambda: session(PUBLIC).fetch_token(grant_type="client_credentials"),
    "scope": lambda: session(*CONFIDENTIAL).fetch_token(grant_type="client_credentials", scope="everything"),
    "grant type": lambda: session(*CONFIDENTIAL).fetch_token(grant_type="telepathy"),
    "code": lambda: session(*CONFIDENTIAL).fetch_token(grant_type="authorization_code", code="made up"),
}.items():
    refusals[name] = refused(call)

seen["refusals"] = refusals
print(json.dumps({"results": seen}), flush=True)
