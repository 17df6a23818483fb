"""Gives the client one webhook in each of the forms in which programs have it, and prints what came of each."""

import base64
import email.message
import hashlib
import hmac
import json
import os
import re
import time

import sellerd

RAW = os.urandom(24)
WHOLE = "whsec_" + base64.b64encode(RAW).decode()
TEXT = '{"id":"evt_1","title":"Schwarzer Einser 🖤"}'
BODY = TEXT.encode()
NOW = int(time.time())


def signature(timestamp):
    return "v1," + base64.b64encode(hmac.new(RAW, f"evt_1.{timestamp}.".encode() + BODY, hashlib.sha256).digest()).decode()


def headers(timestamp=NOW):
    return {"webhook-id": "evt_1", "webhook-timestamp": str(timestamp), "webhook-signature": signature(timestamp)}


def changed(**changes):
    return {**headers(), **{"webhook-" + name: value for name, value in changes.items()}}


def without(name):
    return {other: value for other, value in headers().items() if other != name}


def wsgi(given):
    return {"wsgi.input": object(), "SERVER_PORT": "80", **{"HTTP_" + name.upper().replace("-", "_"): value for name, value in given.items()}}


message = email.message.Message()
for a_name, a_value in headers().items():
    message[a_name.title()] = a_value

TRIES = {
    "lower case": [headers()],
    "as net/http spells": [{name.title(): value for name, value in headers().items()}],
    "upper case": [{name.upper(): value for name, value in headers().items()}],
    "lists of values": [{name: [value] for name, value in headers().items()}],
    "two signatures in a list": [changed(signature=["v1,AAAA", signature(NOW)])],
    "two signatures in one value": [changed(signature="v1,AAAA " + signature(NOW))],
    "a WSGI environ": [wsgi(headers())],
    "ASGI's pairs of bytes": [[(name.encode(), value.encode()) for name, value in headers().items()] + [(b"x-shop", b"\xff")]],
    "a list of pairs": [list(headers().items())],
    "http.server": [message],
    "bytes": [{name.encode(): value.encode() for name, value in headers().items()}],
    "blanks around a value": [{name: f" {value} " for name, value in headers().items()}],
    "a number as timestamp": [changed(timestamp=NOW)],
    "other headers": [{**headers(), "accept": None, "x-shop": b"\xff", b"x-\xff": "1"}],
    "text": [headers(), TEXT],
    "a bytearray": [headers(), bytearray(BODY)],
    "a memoryview": [headers(), memoryview(BODY)],
    "a secret with a line end": [headers(), BODY, WHOLE + "\r\n"],
    "a secret with blanks": [headers(), BODY, f" \t{WHOLE} "],
    "a secret in bytes": [headers(), BODY, WHOLE.encode()],
    "a secret without its beginning": [headers(), BODY, WHOLE[6:]],
    "a parsed body": [headers(), json.loads(TEXT)],
    "no body": [headers(), None],
    "no headers": [None],
    "no secret": [headers(), BODY, None],
    "an empty secret": [headers(), BODY, "\n"],
    "another language": [headers(), BODY, "whsec_é"],
    "no id": [without("webhook-id")],
    "an id that is no UTF-8": [changed(id=b"evt_\xff")],
    "an id with half a character": [changed(id="evt_\udcff")],
    "no signature": [without("webhook-signature")],
    "a signature that is no UTF-8": [changed(signature=b"v1,\xff")],
    "a signature with half a character": [changed(signature="v1,\udcff")],
    "a timestamp in words": [changed(timestamp="2026-11-21T12:00:00Z")],
    "a timestamp in other digits": [changed(timestamp="١٢٣")],
    "a slow clock": [headers(NOW + 900)],
    "a fast clock": [headers(NOW - 900)],
    "another body": [headers(), BODY + b" "],
}

for name, given in TRIES.items():
    body = given[1] if len(given) > 1 else BODY
    secret = given[2] if len(given) > 2 else WHOLE
    try:
        print(f"{name}: {sellerd.verify_webhook(secret, given[0], body)['title']}")
    except sellerd.InvalidSignature as forged:
        print(f"{name}: forged: {re.sub('899|900|901', 'N', str(forged))}")
    except (TypeError, ValueError) as misused:
        print(f"{name}: misused: {misused}")
