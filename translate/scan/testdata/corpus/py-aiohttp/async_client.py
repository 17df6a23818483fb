import aiohttp

DELCAMPE = "https://rest.delcampe.net"


async def main(ids):
    async with aiohttp.ClientSession(base_url=DELCAMPE) as session:
        for i in ids:
            async with session.get(f"/item/{i}/buyer") as resp:
                print(await resp.text())
        async with session.delete("/item/4711", data={"reason": "IncorrectItem"}) as resp:
            assert resp.status == 200
        async with session.post("/items", data=payload) as resp:
            pass
