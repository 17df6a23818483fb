from __future__ import annotations
import logging
from urllib.parse import urljoin
import requests
from .settings import settings

log = logging.getLogger(__name__)


class DelcampeSession(requests.Session):
    """Session with a base address.

    s.delete("/item/12") closes an item.
    """

    def __init__(self, prefix: str = settings.DELCAMPE_BASE):
        super().__init__()
        self.prefix = prefix

    def request(self, method, url, *args, **kwargs):
        return super().request(method, urljoin(self.prefix, url), *args, **kwargs)


class Delcampe:
    ITEM = "item/{id}"
    LISTS = {"auction": "item/auction/{state}", "fixed": "item/fixedprice/{state}"}

    def __init__(self, key):
        self.s = DelcampeSession()
        r = self.s.post("seller", data={"apikey": key})
        self.s.params = {"token": r.text}

    def item(self, id):
        return self.s.get(self.ITEM.format(id=id))

    def update(self, id, **fields):
        r = self.s.put(self.ITEM.format(id=id), data=fields)
        if not r.ok:
            log.error("PUT /item/%s answered %s", id, r.status_code)
        return r

    def sold_auctions(self):
        return self.s.get(self.LISTS["auction"].format(state="sold"), params={"numberOfItems": 200})

    def fields(self):
        return [self.s.get(f"item/fields/{k}").text for k in ("auction", "fixedprice")]
