"""A client of the seller API in one file: copy it to your program. It needs Python 3.9 or later, and nothing else.

    from sellerd import Client

    seller = Client()  # the API key comes from SELLERD_KEY
    account = seller.get("/v1/account")

Paths, parameters and bodies are those of the reference, http://localhost:8080/docs. Methods return the data of an answer, and raise Error
for every other outcome. The page http://localhost:8080/docs/clients shows more.
"""

from __future__ import annotations

import base64
import email.utils
import gzip
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

__all__ = ["Answer", "Client", "Error", "EventPage", "InvalidSignature", "verify_webhook"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts, if the service does not say
_FEED_WAIT = 20  # seconds, the longest that the service holds a request for events
_WAIT_MARGIN = 5  # seconds between the end of that wait and the client's timeout
_IDLE_PAUSE = 1.0  # seconds before the feed is asked again, if the service did not wait


class Error(Exception):
    """A request that did not succeed.

    status is the status of the answer, 0 without one. code is the first code of errors, for programs; without such an answer
    it is no_answer (the service could not be reached in time), unexpected_answer (something else answered) or not_finished (a submission
    is still pending). errors are the entries of the answer: code, message and, where they apply, field, index, details and docs_url.
    request_id finds the request in the service's log.
    """

    def __init__(self, status: int, errors: Sequence[Mapping[str, Any]], request_id: Optional[str] = None):
        self.status, self.errors, self.request_id = status, list(errors), request_id
        self.code: str = self.errors[0]["code"]
        super().__init__("; ".join(map(_in_words, self.errors)) + (f" (request {request_id})" if request_id else ""))

    @property
    def fields(self) -> dict[str, str]:
        """The message of each field that has an error."""
        return {e["field"]: e["message"] for e in self.errors if e.get("field") is not None}


class InvalidSignature(ValueError):
    """A request that is not a webhook of the service, or is too old."""


@dataclass(frozen=True)
class Answer:
    """An answer of the service that is a success, or 304."""

    status: int
    data: Any  # None after 304
    headers: Mapping[str, str] = field(repr=False)

    @property
    def etag(self) -> Optional[str]:
        return self.headers.get("ETag")

    @property
    def request_id(self) -> Optional[str]:
        return self.headers.get("X-Request-Id")

    @property
    def replayed(self) -> bool:
        """The service had done the request before, under the same Idempotency-Key."""
        return self.headers.get("Idempotent-Replayed") == "true"


@dataclass(frozen=True)
class EventPage:
    """Events of the feed, oldest first, and the cursor of the next page. Store it with the results of your work on the events."""

    events: list[dict[str, Any]]
    cursor: str


class Client:
    """Sends requests with one API key.

    key and base_url are by default the environment's SELLERD_KEY and SELLERD_BASE_URL. Blanks and line breaks around the key are removed.
    timeout is for one attempt, deadline for a request with all its repetitions, both in seconds. A key is sent only over https, or to
    this machine; allow_plain_http allows http in a network that you trust. A Client may be shared between threads.
    """

    def __init__(self, key: Optional[str] = None, base_url: Optional[str] = None, *, timeout: float = 30, deadline: float = 60,
                 allow_plain_http: bool = False):
        self._key = (key or os.environ.get("SELLERD_KEY", "")).strip()
        if not self._key:
            raise ValueError("there is no API key: pass one, or set SELLERD_KEY")
        if not re.fullmatch(r"[A-Za-z0-9_]+", self._key):
            raise ValueError("the API key is malformed: it has only letters, digits and _")
        self.base_url = (base_url or os.environ.get("SELLERD_BASE_URL") or "http://localhost:8080").rstrip("/")
        url = re.fullmatch(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?(/[^?#\s\\]*)?", self.base_url, re.IGNORECASE)
        if not url:
            raise ValueError(f"{self.base_url} is not the address of a service, such as https://api.example.com")
        plain = url[1].lower() == "http"
        if plain and not allow_plain_http and not re.fullmatch(r"localhost|127(\.\d{1,3}){3}|\[::1\]", url[2], re.IGNORECASE):
            raise ValueError(f"{self.base_url} would show the API key to the network: use https")
        self._timeout, self._deadline = timeout, deadline
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if plain:
            handlers.append(urllib.request.ProxyHandler({}))  # a proxy would read the key
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, path: str, **query: Any) -> Any:
        """Reads an object or one page of a list."""
        return self.request("GET", path, query=query).data

    def post(self, path: str, body: Any = None, *, idempotency_key: Optional[str] = None, **query: Any) -> Any:
        """Creates something or acts. Without an idempotency_key each call gets a new one, which its repetitions share."""
        return self.request("POST", path, body, query=query, idempotency_key=idempotency_key).data

    def patch(self, path: str, body: Any, *, if_match: Optional[str] = None) -> Any:
        """Changes the members that body has; None clears a member. With if_match, the ETag of a read, it changes only that version."""
        return self.request("PATCH", path, body, headers={"If-Match": if_match} if if_match else None).data

    def delete(self, path: str, *, if_match: Optional[str] = None) -> Any:
        """Removes an object."""
        return self.request("DELETE", path, headers={"If-Match": if_match} if if_match else None).data

    def walk(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Walks through a list, from page to page."""
        while True:
            page = self.get(path, **query)
            yield from page["results"]
            if page["next_cursor"] is None:
                return
            query["after"] = page["next_cursor"]

    def events(self, after: Optional[str] = None, *, follow: bool = True, **query: Any) -> Iterator[EventPage]:
        """Reads the feed of events, page by page, after a cursor: without one from the oldest event on, and with "latest" only new events.

        It waits for events for ever; a page without events comes about every 20 seconds, or more often if timeout or deadline is below 25
        seconds. Without follow it ends where the feed ends. An Error with the code cursor_expired means that the cursor is older than the feed.
        """
        wait = int(max(0, min(_FEED_WAIT, self._timeout - _WAIT_MARGIN, self._deadline - _WAIT_MARGIN)))
        while True:
            began = time.monotonic()
            page = self.get("/v1/events", after=after, wait=wait if follow else None, **query)
            after = page["next_cursor"]
            yield EventPage(page["results"], after)
            if page["has_more"]:
                continue
            if not follow:
                return
            if not page["results"] and time.monotonic() - began < _IDLE_PAUSE:
                time.sleep(_IDLE_PAUSE)

    def wait_for_submission(self, submission_id: str, *, deadline: float = 16 * 60) -> dict[str, Any]:
        """Waits until a submission is published, and returns it with its item_id. Raises Error with the reasons if it is rejected."""
        end, pause = time.monotonic() + deadline, 0.25
        while True:
            answer = self.request("GET", "/v1/item-submissions/" + urllib.parse.quote(submission_id, safe=""))
            if answer.data["status"] == "published":
                return answer.data
            if answer.data["status"] == "rejected":
                raise Error(answer.status, answer.data["errors"] or [_entry("rejected", "The item was rejected.")], answer.request_id)
            if time.monotonic() + pause > end:
                raise Error(answer.status, [_entry("not_finished", f"The submission {submission_id} is still pending.")], answer.request_id)
            time.sleep(pause)
            pause = min(2 * pause, 5)

    def rotate_key(self, overlap: int = 86400) -> str:
        """Replaces the client's key, and returns the new one: store it, and make a client with it. Both are valid for the overlap, in seconds."""
        while True:  # if an answer was lost, a repetition does not show the key: one that nobody has used is replaced
            made = self.post("/v1/account/keys/current/rotate", {"overlap_seconds": overlap})
            if made["key"]:
                return made["key"]

    def request(self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None,
                headers: Optional[Mapping[str, str]] = None, idempotency_key: Optional[str] = None) -> Answer:
        """Sends a request until there is a final answer, and returns it with its headers.

        It is repeated when no answer arrives, on 429, on 500 and above except 501 and 505, and while the same Idempotency-Key is in
        progress, after the seconds of Retry-After and a random part of a second. A PATCH that rotates a secret is repeated only on 429.
        The Idempotency-Key of a POST is idempotency_key, the one in headers, or otherwise a random one.
        """
        if not path.startswith("/"):
            raise ValueError(f"the path {path!r} does not begin with /")
        text = urllib.parse.urlencode([(name, _text(v)) for name, value in (query or {}).items() for v in _values(value)])
        url = self.base_url + path + (("&" if "?" in path else "?") + text if text else "")
        sent = {"Accept": "application/json", "Accept-Encoding": "gzip", **(headers or {}), "X-Api-Key": self._key}
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        if method == "POST":
            sent["Idempotency-Key"] = _idempotency_key(idempotency_key, headers or {})
        repeatable = not (isinstance(body, Mapping) and body.get("rotate_secret"))
        end, pause = time.monotonic() + self._deadline, _FIRST_PAUSE
        while True:
            timeout = min(self._timeout, max(end - time.monotonic(), 0.001))
            try:
                return self._attempt(urllib.request.Request(url, data, sent, method=method), timeout)
            except _Failure as failure:
                if failure.error.status != 429 and not (failure.repeatable and repeatable):
                    raise failure.error from failure.__cause__
                if failure.retry_after is not None:
                    wait = failure.retry_after + random.random()
                else:
                    wait, pause = pause * random.uniform(0.5, 1.5), min(2 * pause, _LONGEST_PAUSE)
                if time.monotonic() + wait > end:
                    raise failure.error from failure.__cause__
            time.sleep(wait)

    def _attempt(self, request: urllib.request.Request, timeout: float) -> Answer:
        try:
            try:
                response = self._opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as refused:
                response = refused
            with response:
                status, headers, text = response.status, response.headers, _read(response, timeout)
            if headers.get("Content-Encoding", "").lower() == "gzip" and text:
                text = gzip.decompress(text)
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as lost:
            reason = getattr(lost, "reason", None) or lost
            raise _Failure(Error(0, [_entry("no_answer", f"No answer from {self.base_url}: {reason}")]), repeatable=True) from lost
        if status == 304:
            return Answer(status, None, headers)
        try:
            envelope = json.loads(text)
            if 200 <= status < 300:
                return Answer(status, envelope["data"], headers)
            errors = [{"code": e["code"], "message": e["message"], **e} for e in envelope["errors"]]
        except (ValueError, KeyError, TypeError):
            errors = []
        errors = errors or [_entry("unexpected_answer", f"{self.base_url} answered {status}, and not as the seller API does.")]
        error = Error(status, errors, headers.get("X-Request-Id"))
        repeatable = status == 429 or (status >= 500 and status not in (501, 505)) or error.code == "idempotency_key_in_progress"
        raise _Failure(error, repeatable, _seconds(headers.get("Retry-After")))


def verify_webhook(secret: str, headers: Any, body: Union[bytes, bytearray, memoryview, str], *, tolerance: float = 300) -> dict[str, Any]:
    """Returns the event of a webhook's request, or raises InvalidSignature.

    The request must have been signed with the secret (whsec_…) at most tolerance seconds ago. headers has names in any case and lists of values
    or single ones, text or bytes: those of your framework, the environ of WSGI, or the list of pairs of ASGI. body has the text or the bytes that
    were received, unchanged.
    """
    if isinstance(body, str):
        body = body.encode("utf-8", "backslashreplace")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("pass the raw body, the text or the bytes that arrived: something has parsed or consumed this one")
    content = bytes(body)
    try:
        text = _header_text(secret).strip()
        key = base64.b64decode(text[len("whsec_"):] if text.startswith("whsec_") else text, validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("the secret is missing or malformed: it is whsec_ and base64")
    message_id, timestamp, signatures = _webhook_headers(headers)
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 12):
        raise InvalidSignature("webhook-timestamp is not a time in Unix seconds")
    ahead = int(timestamp) - time.time()
    if abs(ahead) > tolerance:
        apart = f"webhook-timestamp is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} the clock of this machine"
        raise InvalidSignature(f"{apart}, more than {tolerance}: set the clock" + ("" if ahead > 0 else ", unless somebody repeats an old request"))
    mac = hmac.new(key, _bytes(f"{message_id}.{timestamp}.") + content, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    if not any(hmac.compare_digest(_bytes(signature), want) for signature in signatures.split(" ")):
        raise InvalidSignature("no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte")
    return json.loads(content)


def _webhook_headers(headers: Any) -> tuple[str, ...]:
    """The id, the time and the signatures of a webhook, whatever the form of its headers."""
    found: dict[str, list[str]] = {"webhook-id": [], "webhook-timestamp": [], "webhook-signature": []}
    for name, value in headers.items() if hasattr(headers, "items") else headers or ():
        values = found.get(_header_text(name).lower().replace("_", "-").removeprefix("http-"))  # WSGI: HTTP_WEBHOOK_ID
        if values is not None and value is not None:
            values.extend(map(_header_text, value if isinstance(value, (list, tuple)) else (value,)))
    texts = {name: " ".join(values).strip() for name, values in found.items()}
    for name, text in texts.items():
        if not text:
            raise InvalidSignature(f"the header {name} is missing")
    return tuple(texts.values())


def _header_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else "" if value is None else str(value)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")  # half a character, as of a header that was no UTF-8, matches nothing


def _in_words(entry: Mapping[str, Any]) -> str:
    """An entry of errors, with the place that it is about."""
    place = ", ".join(f"{name} {entry[name]}" for name in ("index", "field") if entry.get(name) is not None)
    return f"{entry['code']}: {entry['message']}" + (f" ({place})" if place else "")


class _Failure(Exception):
    """An attempt without success, and whether and when another may succeed."""

    def __init__(self, error: Error, repeatable: bool, retry_after: Optional[float] = None):
        super().__init__(error)
        self.error, self.repeatable, self.retry_after = error, repeatable, retry_after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # the key must not go to another host


def _read(response: http.client.HTTPResponse, timeout: float) -> bytes:
    """Reads an answer, even one that arrives in small pieces, until the time is over."""
    parts, end = [], time.monotonic() + timeout
    while part := response.read1(1 << 16):
        parts.append(part)
        if time.monotonic() > end:
            raise TimeoutError("timed out")
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _idempotency_key(given: Optional[str], headers: Mapping[str, str]) -> str:
    """The key that the caller gave in one of two places, or otherwise a random one."""
    keys = {value for name, value in headers.items() if name.lower() == "idempotency-key"}
    if given is not None:
        keys.add(given)
    if len(keys) > 1 or any(not str(key).strip() for key in keys):
        raise ValueError("the Idempotency-Key is empty, or there are two different ones")
    return keys.pop() if keys else str(uuid.uuid4())


def _values(value: Any) -> Sequence[Any]:
    return () if value is None else value if isinstance(value, (list, tuple, set)) else (value,)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs a time zone")
        return value.isoformat()
    return str(value)


def _seconds(text: Optional[str]) -> Optional[float]:
    """The value of Retry-After: seconds, or a date."""
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _entry(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}
