#!/usr/bin/env python3
"""Reprices the items of a CSV file: SELLERD_KEY=dk_test_... python3 reprice.py prices.csv

The first row of the file names the columns: reference and price, and currency if it is not the item's own. Commas or semicolons stand
between them, and a price such as 4,50 may have a comma. Up to 100 prices go into one request, so 10,000 prices are 100 requests of the
180 that a minute has.

The program may be killed at any time, and so may the service. Start it again with the same file: it sends every request again under the
same Idempotency-Key, and the service does each change once. A key is made of the file and of the place in it. To set the same prices
again later, pass a name of your own as the second argument: it makes the keys new.
"""
import csv, hashlib, http.client, io, json, os, sys, time, urllib.error, urllib.request

BASE = os.environ.get("SELLERD_BASE_URL", "http://localhost:8080")
KEY = os.environ["SELLERD_KEY"]
AT_ONCE = 100  # the most changes that a request may have


def send(changes, key):
    """Sends changes until there is an answer about them, and returns its status and body."""
    request = urllib.request.Request(
        BASE + "/v1/item-changes",
        data=json.dumps({"changes": changes}).encode(),
        headers={"X-Api-Key": KEY, "Idempotency-Key": key, "Content-Type": "application/json"},
    )
    pause = 0.2
    while True:
        wait = None
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            body = refused.read()
            in_progress = refused.code == 409 and b'"idempotency_key_in_progress"' in body
            if refused.code != 429 and refused.code < 500 and not in_progress:
                return refused.code, json.loads(body)
            wait, why = refused.headers.get("Retry-After"), f"status {refused.code}"
        except (OSError, http.client.HTTPException, ValueError) as lost:
            why = lost  # no answer, or half of one: the changes may have been done, which the key finds out
        wait = float(wait) if wait else pause
        pause = min(2 * pause, 30)
        print(f"again in {wait:g} s: {why}", file=sys.stderr)
        time.sleep(wait)


def change(row):
    """A row of the file as a change."""
    price = {"amount": row["price"].strip().replace(",", ".")}
    if (row.get("currency") or "").strip():
        price["currency"] = row["currency"].strip()
    return {"personal_reference": row["reference"].strip(), "patch": {"price": price}}


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    name = sys.argv[2] if len(sys.argv) > 2 else ""
    run = hashlib.sha256(name.encode() + b"\0" + content).hexdigest()[:32]
    text = content.decode("utf-8-sig")
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",")
    rows, short = [], []
    for row in reader:
        needed = [(row.get(name) or "").strip() for name in ("reference", "price")]
        if any(needed):
            rows.append(row)
            if not all(needed):
                short.append(str(reader.line_num))
    if not {"reference", "price"} <= set(reader.fieldnames or []):
        sys.exit(f"the first row must name the columns reference and price, and it is: {first.strip()}")
    if short:
        sys.exit(f"nothing was sent: these lines have no reference or no price: {', '.join(short)}")
    changed, began = 0, time.monotonic()
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        status, answer = send([change(row) for row in part], f"reprice-{run}-{start}")
        if status == 200:
            changed += answer["data"]["changed_count"]
            errors = [error for result in answer["data"]["results"] for error in result["errors"]]
        elif status == 422:
            errors = answer["errors"]  # none of them could be done
        else:
            sys.exit(f"status {status}: {answer['errors'][0]['message']}")
        for error in errors:
            reference = part[error["index"]]["reference"] if "index" in error else "all"
            print(f"{reference}: {error['code']} {error.get('field', '')} {error['message']}")
    print(f"{changed} of {len(rows)} prices set in {time.monotonic() - began:.1f} s")
    sys.exit(0 if changed == len(rows) else 1)


if __name__ == "__main__":
    main()
