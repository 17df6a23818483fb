import httpx


class Magento:
    """Our shop. Endpoint /rest/V1/items."""

    def __init__(self, base):
        self.http = httpx.Client(base_url=base)

    def _call(self, verb, *parts):
        return self.http.request(verb, "/rest/V1/" + "/".join(parts)).json()

    def category(self, id_):
        return self._call("GET", "category", id_)

    def item(self, sku):
        return self.http.get("/rest/item/" + sku).json()
