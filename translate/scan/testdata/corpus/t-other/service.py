import requests
BASE = "https://api.warehouse.example/rest"
def item(i): return requests.get(f"{BASE}/item/{i}")
def category(): return requests.get(BASE + "/category")
def seller(): return requests.post("https://api.warehouse.example/rest/seller", data={"apikey": "x"})
