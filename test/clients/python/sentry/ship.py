"""Sends errors, messages and a session with the installed release of the SDK. Usage: ship.py story|crash, with the DSN in SHIP_DSN."""

import logging
import os
import sys

import sentry_sdk

sentry_sdk.init(dsn=os.environ["SHIP_DSN"], release="ship@1.2.3", environment="harbour")
sentry_sdk.set_user({"id": 7, "email": "ann@example.com"})
sentry_sdk.set_tag("deck", "upper")
sentry_sdk.add_breadcrumb(category="lamp", message="lamp 7 switched on", level="info")


def steer():
    try:
        raise LookupError("no wind")
    except LookupError as cause:
        raise ValueError("cannot steer") from cause


def sail():
    steer()


def sink():
    raise TypeError("the hull leaks")


def story():
    try:
        sail()
    except ValueError as error:
        sentry_sdk.capture_exception(error)
    for lamp in (7, 8):
        logging.getLogger("ship").error("lamp %s stays dark", lamp)


# The session is sent once, at exit. Releases before 2 have this function on their hub.
(sentry_sdk if hasattr(sentry_sdk, "start_session") else sentry_sdk.Hub.current).start_session(session_mode="application")
if sys.argv[1] == "crash":
    sink()
story()
