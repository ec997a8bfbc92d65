"""Sends what task groups raise with the installed release of the SDK. Needs the DSN in SHIP_DSN."""

import asyncio
import os

import sentry_sdk

sentry_sdk.init(dsn=os.environ["SHIP_DSN"])


async def sail(task):
    raise KeyError("anchor") if task == "k" else OSError("no wind")


async def fleet(tasks):
    async with asyncio.TaskGroup() as group:
        for task in tasks:
            group.create_task(sail(task))


# The letters are the tasks of one group: k fails with a KeyError, o with an OSError.
for tasks in ("kk", "kkk", "kkkkkkk", "ko", "ok", "kok"):
    try:
        asyncio.run(fleet(tasks))
    except BaseException as error:
        sentry_sdk.capture_exception(error)
