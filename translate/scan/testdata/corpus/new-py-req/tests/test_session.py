import responses
from shop.delcampe.session import Delcampe

@responses.activate
def test_item():
    responses.add(responses.GET, "https://stub.invalid/item/12", body="<x/>")
