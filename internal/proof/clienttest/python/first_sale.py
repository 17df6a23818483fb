"""Puts an item on sale, sells it and ships it. What is sent and what is answered have the classes that `npm run generate` makes of the
service's OpenAPI document. They need the package dateutil."""

import json
import os
import time
import urllib.error
import urllib.request
import uuid

from seller_api import Bill, BillStatus, BuyerInput, Currency, Error, Item, ItemInput, MoneyInput, SaleType, SaleWithRating, SimulatedPurchase
from seller_api import Submission, SubmissionStatus

BASE_URL = os.environ.get("SELLERD_BASE_URL", "http://localhost:8080")


class Refused(Exception):
    def __init__(self, errors: list[Error]):
        super().__init__("\n".join(f"{e.code.value}: {e.message}" for e in errors))
        self.errors = errors


def call(method: str, path: str, body=None, key: str | None = None):
    """Returns the data of an answer."""
    request = urllib.request.Request(BASE_URL + path, method=method)
    request.add_header("X-Api-Key", os.environ["SELLERD_KEY"])
    if method == "POST":
        request.add_header("Idempotency-Key", key or str(uuid.uuid4()))
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body.to_dict()).encode()
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as answer:
        raise Refused([Error.from_dict(e) for e in json.load(answer)["errors"]]) from None


stamp = ItemInput(
    title="France 1849, 20c black Ceres",
    category_id="1010101",
    sale_type=SaleType.FIXED_PRICE,
    price=MoneyInput(amount="12.50", currency=Currency.EUR),
)

# An answer may get lost. The same request under the same key gives the same submission, and not a second item.
key = str(uuid.uuid4())
first = Submission.from_dict(call("POST", "/v1/items", stamp, key))
again = Submission.from_dict(call("POST", "/v1/items", stamp, key))
print("submitted", "once" if first.id == again.id else "twice")

submission = first
while submission.status is not SubmissionStatus.PUBLISHED:
    if submission.status is SubmissionStatus.REJECTED:
        raise Refused(submission.errors)
    time.sleep(0.25)
    submission = Submission.from_dict(call("GET", f"/v1/item-submissions/{submission.id}"))
item = Item.from_dict(call("GET", f"/v1/items/{submission.item_id}"))
print(f"published {item.id}: {item.title}, {item.price.amount} {item.price.currency.value}, {item.status.value}")

try:
    stamp.price = None
    call("POST", "/v1/items", stamp)
except Refused as refused:
    for error in refused.errors:
        print("refused:", error.field, error.code.value)

# In the sandbox you are also the buyer and the marketplace.
sale = SaleWithRating.from_dict(call("POST", f"/v1/test/items/{item.id}/purchase", SimulatedPurchase(buyer=BuyerInput(nickname="test-klara"))))
call("POST", f"/v1/test/bills/{sale.bill_id}/invoice")
call("POST", f"/v1/test/bills/{sale.bill_id}/pay")
bill = Bill.from_dict(call("POST", f"/v1/bills/{sale.bill_id}/mark-sent"))
assert bill.status is BillStatus.SENT
print(f"sold {sale.quantity} to {sale.buyer.nickname}, the bill is {bill.status.value}")
