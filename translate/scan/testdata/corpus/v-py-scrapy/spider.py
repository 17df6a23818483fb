import scrapy
from urllib.parse import urlencode


class SoldSpider(scrapy.Spider):
    name = "sold"
    base = "https://rest.delcampe.net"
    allowed_domains = ["rest.delcampe.net"]

    def start_requests(self):
        yield scrapy.FormRequest(self.base + "/seller", formdata={"apikey": self.settings["KEY"]}, callback=self.logged_in)

    def logged_in(self, response):
        token = response.xpath("//token/text()").get()
        for kind in ("auction", "fixedprice"):
            q = urlencode({"token": token, "numberOfItems": 100})
            yield scrapy.Request(f"{self.base}/item/{kind}/sold?{q}", self.parse, cb_kwargs={"token": token})

    def parse(self, response, token):
        for row in response.xpath("//item"):
            ident = row.xpath("id_item/text()").get()
            yield response.follow(f"/item/{ident}/buyer?token={token}", self.buyer)
            self.logger.debug("follow /item/%s", ident)

    def buyer(self, response):
        yield {"nick": response.xpath("//nickname/text()").get()}
