"""Does with the client what its arguments say, and prints what came of it: clients_test.go compares the lines of all languages."""

import itertools
import json
import os
import sys
import traceback

import sellerd


def client(base_url=None):
    return sellerd.Client(base_url=base_url, timeout=float(os.environ.get("TIMEOUT", "5")), deadline=float(os.environ.get("DEADLINE", "20")),
                          allow_plain_http="ALLOW_PLAIN_HTTP" in os.environ)


def call(method, path, body="", key="", header="", value=""):
    headers = {header: value} if header else None
    answer = client().request(method, path, json.loads(body) if body else None, headers=headers, idempotency_key="" if key == "empty" else key or None)
    print(answer.status, json.dumps(answer.data, separators=(",", ":")), answer.etag or "-", answer.replayed and "replayed" or "first")


def message(*args):
    try:
        call(*args)
    except sellerd.Error as error:
        print(error)


def walk():
    for item in client().walk("/v1/items", status=["open", "scheduled"], has_bids=False, title="A & B", sort=None, after=None):
        print(item["id"])


def events(after, follow, pages):
    feed = client().events(after or None, follow=follow == "follow", type="item.*")
    for page in itertools.islice(feed, int(pages) or None):
        print(page.cursor, *(event["id"] for event in page.events))


def wait(submission):
    print(client().wait_for_submission(submission)["item_id"])


def rotate(overlap):
    print(client().rotate_key(int(overlap)))


def addresses(*urls):
    for url in urls:
        try:
            client(url)
            print("taken", url)
        except ValueError:
            print("refused", url)


try:
    {f.__name__: f for f in (call, message, walk, events, wait, rotate, addresses)}[sys.argv[1]](*sys.argv[2:])
except sellerd.Error as error:
    print("error", error.status, error.code, error.request_id or "-", json.dumps(error.fields, sort_keys=True, separators=(",", ":")))
except ValueError as error:
    traceback.print_exc()
    print("refused", error)
