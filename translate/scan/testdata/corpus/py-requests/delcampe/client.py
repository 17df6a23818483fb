"""Client of Delcampe's REST interface.

Example: GET https://rest.delcampe.net/item/auction/sold
"""
import requests
from urllib.parse import urljoin

BASE = "https://rest.delcampe.net/"


class Delcampe:
    def __init__(self, key, base=BASE):
        self.base = base
        self.session = requests.Session()
        self.token = None
        self.key = key

    def login(self):
        r = self.session.post(urljoin(self.base, "seller"), data={"apikey": self.key})
        self.token = r.text

    def _call(self, method, path, **fields):
        fields["token"] = self.token
        response = self.session.request(method, self.base + path, data=fields)
        response.raise_for_status()
        return response.content

    def item(self, id_item):
        return self._call("GET", f"item/{id_item}")

    def close(self, id_item, reason="TestItem"):
        """DELETE /item/{id_item}"""
        return self._call("DELETE", "item/%s" % id_item, reason=reason)

    def update(self, id_item, **fields):
        return self._call("PUT", "item/{}".format(id_item), **fields)

    def sold(self, start=0, count=100):
        return requests.get(self.base + "item/fixedprice/sold", params={"startingItem": start, "numberOfItems": count})

    def closed(self):
        url = "{base}item/auction/closed".format(base=self.base)
        return requests.get(url, params={"token": self.token})

    def time(self):
        # requests.get(BASE + "notification/types")
        return requests.get(BASE + "server/time").text
