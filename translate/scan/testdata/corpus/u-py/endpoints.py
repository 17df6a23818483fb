from dataclasses import dataclass
import requests

@dataclass
class Endpoint:
    method: str
    path: str

SOLD = Endpoint("GET", "/item/auction/sold")
CLOSE = Endpoint(method="DELETE", path="/item/{id}")
HOST = "https://rest.delcampe.net"

class Session(requests.Session):
    def build(self, *parts):
        return "/".join((HOST,) + tuple(str(p) for p in parts))

def run(s, i, fields):
    requests.request("POST", url=f"{HOST}/item", data=fields)
    s.put(f"{HOST}/item/{i}", data=fields)
    requests.post(HOST + "/notification/settings", {"notificationType": "Curl_Seller_Item_Add", "destination": "https://x.example"})
    query = {"startingItem": 0, "numberOfItems": 50}
    requests.get(HOST + "/item/auction/closed?" + urlencode(query))
    headers = {"Accept": "application/xml"}
    method = "PUT" if fields else "GET"
    requests.request(method, HOST + "/notification/" + str(i))
