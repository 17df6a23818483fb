from django.test import TestCase

class ItemViewTest(TestCase):
    def test_show(self):
        r = self.client.get("/item/12")
        self.assertEqual(r.status_code, 200)

    def test_delete(self):
        self.client.delete("/item/12")
