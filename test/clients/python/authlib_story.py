"""Signs in through Authlib in every way it has; prints what it needs done, line by line, and what it saw at the end."""

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

arrivals = queue.Queue()


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/callback"):
            arrivals.put(f"http://127.0.0.1:{self.server.server_port}{self.path}")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Back</title><h1>You can close this tab</h1>")

    def log_message(self, *_):
        pass


listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
threading.Thread(target=listener.serve_forever, daemon=True).start()
REDIRECT = f"http://127.0.0.1:{listener.server_port}/callback"


def ask(**wish):
    print(json.dumps(wish), flush=True)
    sys.stdin.readline()


def arrival(decision, address):
    ask(do=decision, address=address)
    return arrivals.get(timeout=30)


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(address).query))


def refused(call):
    """Class and code of what Authlib raises; its descriptions may hold no other characters than RFC 6749 has for them."""
    try:
        call()
    except (AuthlibBaseError, JoseError) as error:
        if invalid_error_characters(error.description or ""):
            return f"forbidden characters in {error.description!r}"
        return [type(error).__name__, error.error]
    return "not refused"


renewals = []


def session(client_id, client_secret=None, **more):
    made = OAuth2Session(
        client_id,
        client_secret,
        scope=SCOPE,
        redirect_uri=REDIRECT,
        token_endpoint=metadata["token_endpoint"],
        update_token=lambda token, refresh_token=None, access_token=None: renewals.append(refresh_token),
        default_timeout=30,
        **more,
    )
    # Proxies of the user's are not for this machine.
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


# A public application: PKCE by S256 instead of a secret.
client = session(PUBLIC, code_challenge_method="S256")
verifier, nonce = generate_token(48), generate_token(20)
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
back = arrival("approve", address)
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

# The access token expires; the next request renews it by itself.
ask(do="pass", seconds=LIFETIME)
client.token["expires_at"] -= LIFETIME
seen["renewed"] = {
    "status": status_of_user(client),
    "spent": renewals == [token["refresh_token"]],
    "replaced": client.token["access_token"] != token["access_token"] and client.token["refresh_token"] != token["refresh_token"],
    "token_type": client.token["token_type"],
    "scope": client.token["scope"],
    "again": status_of_user(client),
    "renewals": len(renewals),
}
token_url = metadata["token_endpoint"]
refusals["spent"] = refused(lambda: session(PUBLIC).refresh_token(token_url, refresh_token=token["refresh_token"]))
refusals["wider"] = refused(
    lambda: session(PUBLIC).refresh_token(token_url, refresh_token=client.token["refresh_token"], scope="api")
)
seen["still"] = status_of_user(client)

revoked = client.token["refresh_token"]
answer = client.revoke_token(metadata["revocation_endpoint"], token=client.token["access_token"], token_type_hint="access_token")
seen["revoked"] = [answer.status_code, answer.json(), status_of_user(client)]
refusals["revoked"] = refused(lambda: session(PUBLIC).refresh_token(token_url, refresh_token=revoked))

# A public application is asked about each time; a wrong verifier uses the code up, and so does a good one.
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
back = arrival("approve", address)
exchange = {"authorization_response": back, "state": state}
refusals["verifier"] = refused(lambda: client.fetch_token(**exchange, code_verifier=generate_token(48)))
refusals["guess"] = refused(lambda: client.fetch_token(**exchange, code_verifier=verifier))
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
exchange = {"authorization_response": arrival("approve", address), "state": state, "code_verifier": verifier}
client.fetch_token(**exchange)
refusals["replay"] = refused(lambda: session(PUBLIC).fetch_token(**exchange))
seen["replayed"] = status_of_user(client)
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
answer = query(arrival("deny", address))
seen["denied"] = [answer["error"], answer["state"] == state, answer["iss"] == ORIGIN, sorted(answer)]
address, state = session(PUBLIC).create_authorization_url(metadata["authorization_endpoint"])
answer = query(arrival("visit", address))
seen["no challenge"] = [answer["error"], answer["state"] == state]

# A confidential application: its secret by HTTP Basic, without PKCE.
board = session(*CONFIDENTIAL)
address, state = board.create_authorization_url(metadata["authorization_endpoint"])
board_token = dict(board.fetch_token(authorization_response=arrival("approve", address), state=state))
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
# Granted before: no question. The secret in the body this time.
posting = session(*CONFIDENTIAL, token_endpoint_auth_method="client_secret_post", revocation_endpoint_auth_method="client_secret_post")
address, state = posting.create_authorization_url(metadata["authorization_endpoint"])
posting.fetch_token(authorization_response=arrival("visit", address), state=state)
seen["posted"] = status_of_user(posting)
posting.refresh_token()
seen["posted and renewed"] = status_of_user(posting)
answer = posting.revoke_token(metadata["revocation_endpoint"], token_type_hint="refresh_token")
seen["revoked by refresh token"] = [answer.status_code, status_of_user(posting)]
seen["introspected revoked"] = board.introspect_token(
    metadata["introspection_endpoint"], token=posting.token["access_token"]
).json()
answer = session(PUBLIC).revoke_token(metadata["revocation_endpoint"], token=board_token["access_token"])
seen["revoked by another"] = [answer.status_code, answer.json()["error"], status_of_user(board)]

# The application for itself.
own = session(*CONFIDENTIAL)
own_token = dict(own.fetch_token(grant_type="client_credentials", scope="read_user"))
seen["own"] = {name: value for name, value in own_token.items() if name not in ("access_token", "created_at", "expires_at")}
seen["own user"] = status_of_user(own)
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
print(json.dumps({"saw": seen}), flush=True)
