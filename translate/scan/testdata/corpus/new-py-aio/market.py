import asyncio
import os
from dataclasses import dataclass
from enum import Enum

import aiohttp

BASE = os.environ.get("DELCAMPE_API", "https://rest.delcampe.net/rest")


class Route(str, Enum):
    MODELS = "/shippingModels"
    CATEGORIES = "/category"
    TIME = "/server/time"


@dataclass
class Market:
    session: aiohttp.ClientSession
    token: str = ""

    async def _call(self, method: str, route: str, **kw):
        params = kw.pop("params", {})
        if self.token:
            params["token"] = self.token
        async with self.session.request(method, f"{BASE}{route}", params=params, **kw) as resp:
            resp.raise_for_status()
            return await resp.text()

    async def categories(self, parent: int = 0):
        return await self._call("GET", Route.CATEGORIES, params={"language": "E", "idParent": parent})

    async def models(self):
        return await self._call("GET", Route.MODELS)

    async def now(self):
        return await self._call("GET", Route.TIME.value)

    async def close_many(self, ids: list[int], reason: str):
        jobs = [self._call("DELETE", f"/item/{i}", data={"reason": reason}) for i in ids]
        return await asyncio.gather(*jobs)

    async def toggle(self, notification_id: int):
        await self._call("PUT", f"/notification/{notification_id}")


async def main():
    async with aiohttp.ClientSession() as s:
        m = Market(s)
        async with s.post(f"{BASE}/seller", data={"apikey": os.environ["KEY"]}) as r:
            m.token = (await r.text()).split("<token>")[1].split("</token>")[0]
        async with s.get("https://api.stripe.com/v1/items") as r:
            print(r.status)
        print(await m.categories())

asyncio.run(main())
