from base import DelcampeApi
def test_item(requests_mock):
    requests_mock.get("https://rest.delcampe.net/item/1", text="<x/>")
    api = DelcampeApi()
    assert "/item/1" in str(api)
