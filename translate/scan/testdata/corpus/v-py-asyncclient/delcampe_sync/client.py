"""httpx based client.

    >>> await client.get("/item/12")
"""
from __future__ import annotations

import dataclasses
from typing import Any, Literal

import httpx
from lxml import etree

SaleType = Literal["auction", "fixedprice"]


@dataclasses.dataclass(slots=True)
class Settings:
    base_url: str = "https://rest.delcampe.net/rest"
    api_key: str = ""
    timeout: float = 20.0


class DelcampeClient:
    def __init__(self, settings: Settings) -> None:
        self._s = settings
        self._http = httpx.AsyncClient(base_url=settings.base_url, timeout=settings.timeout)
        self._token: str | None = None

    async def __aenter__(self) -> "DelcampeClient":
        r = await self._http.post("/seller", data={"apikey": self._s.api_key})
        self._token = self._parse(r).findtext(".//token")
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._http.aclose()

    @staticmethod
    def _parse(r: httpx.Response) -> Any:
        r.raise_for_status()
        return etree.fromstring(r.content)

    async def _call(self, verb: str, *segments: str | int, **fields: Any) -> Any:
        path = "/" + "/".join(str(s) for s in segments)
        r = await self._http.request(verb, path, params={"token": self._token}, data=fields or None)
        return self._parse(r)

    async def item(self, id_item: int) -> Any:
        return await self._call("GET", "item", id_item)

    async def buyer(self, id_item: int) -> Any:
        return await self._call("GET", "item", id_item, "buyer")

    async def update(self, id_item: int, **fields: Any) -> Any:
        return await self._call("PUT", "item", id_item, **fields)

    async def page(self, sale_type: SaleType, start: int) -> Any:
        return await self._call("GET", "item", sale_type, "opened", startingItem=start)

    async def models(self):
        return await self._call("GET", "shippingModels")
