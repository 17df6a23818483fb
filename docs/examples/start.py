# The page Start in Python, http://localhost:8080/docs/start. Copy http://localhost:8080/docs/clients/sellerd.py beside this file, then:
#
#     SELLERD_KEY=dk_test_… python3 start.py

# 1. Your key
import sellerd

seller = sellerd.Client()  # with the key in SELLERD_KEY
print(seller.get("/v1/account")["nickname"])

# 2. List an item
submission = seller.post("/v1/items", {
    "title": "Belgium 1849, 10c brown Epaulette",
    "category_id": "1010101",
    "sale_type": "fixed_price",
    "price": {"amount": "45.00", "currency": "EUR"},
    "personal_reference": "START-1",
    "images": ["https://outcome.test/ready.jpg"],
})

# 3. Wait for its publication
item = seller.wait_for_submission(submission["id"])["item_id"]
print(seller.get(f"/v1/items/{item}")["status"])

# 4. Sell it
bill = seller.post(f"/v1/test/items/{item}/purchase")["bill_id"]
print(seller.post(f"/v1/test/bills/{bill}/invoice")["status"])
print(seller.post(f"/v1/test/bills/{bill}/pay")["status"])

# 5. Read the sale
sale = seller.get("/v1/sales", item_id=item)["results"][0]
total = seller.get(f"/v1/bills/{bill}")["total"]
print(sale["buyer"]["nickname"], total["amount"])

# 6. Ship it
parcel = {"delivery_service_id": "142", "number": "RR123456785BE"}
print(seller.post(f"/v1/bills/{bill}/trackings", parcel)["number"])
print(seller.post(f"/v1/bills/{bill}/mark-sent")["status"])
