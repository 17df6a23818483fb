import os
import httpx

HOST = os.environ.get("DELCAMPE_HOST", "https://rest.delcampe.net")

ENDPOINTS = {
    "notifications": ("GET", "/notification/settings"),
    "subscribe": ("POST", "/notification/settings"),
    "unsubscribe": ("DELETE", "/notification/{id}"),
    "categories": ("GET", "/category"),
    "feedback": ("POST", "/item/{id}/feedback"),
}


async def call(name, client: httpx.AsyncClient, **values):
    method, path = ENDPOINTS[name]
    return await client.request(method, HOST + path.format(**values))
