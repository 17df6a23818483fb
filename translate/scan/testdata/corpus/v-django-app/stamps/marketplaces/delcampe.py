import logging
from functools import cached_property
from urllib.parse import urljoin

import requests
from django.conf import settings

logger = logging.getLogger(__name__)


class DelcampeError(Exception):
    pass


class Delcampe:
    endpoints = {
        "token": "seller",
        "list": "item/{kind}/{state}",
        "detail": "item/{pk}",
        "hooks": "notification/settings",
        "category": "category",
    }

    @cached_property
    def session(self):
        s = requests.Session()
        s.headers["Accept"] = "application/xml"
        return s

    def _get(self, name, **kw):
        url = urljoin(settings.DELCAMPE_URL, self.endpoints[name].format(**kw))
        response = self.session.get(url, params={"token": self.token})
        if not response.ok:
            raise DelcampeError(f"GET /item -> {response.status_code}")
        return response.content

    @cached_property
    def token(self):
        url = urljoin(settings.DELCAMPE_URL, self.endpoints["token"])
        return self.session.post(url, data={"apikey": settings.DELCAMPE_KEY}).text

    def withdraw(self, pk, reason="NotAvailableItem"):
        url = urljoin(settings.DELCAMPE_URL, "item/%d" % pk)
        logger.info("DELETE /item/%d", pk)
        self.session.request("DELETE", url, params={"token": self.token}, data={"reason": reason})

    def bulk(self, rows):
        self.session.post(urljoin(settings.DELCAMPE_URL, "items"), params={"token": self.token}, data={"items": rows})
