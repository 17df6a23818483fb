from delcampe.client import Delcampe

client = Delcampe("x")
print("GET /item/fixedprice/opened")
xml = client._call("GET", "item/fixedprice/opened", startingItem=0, numberOfItems=20)
for ref in open("refs.txt"):
    client._call("GET", "item/reference/" + ref.strip())
d = {"item": 1, "category": 2}
d.get("item")
d.get("category")
