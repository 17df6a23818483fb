from abc import ABC
import json, logging, requests

log = logging.getLogger(__name__)

class ApiBase(ABC):
    host = None
    def _url(self, *parts):
        return "/".join([self.host.rstrip("/"), *[str(p) for p in parts]])
    def _req(self, verb, path, params=None, data=None):
        log.debug("%s %s", verb, path)
        return getattr(requests, verb)(self.host + path, params=params, data=data)

class DelcampeApi(ApiBase):
    host = "https://rest.delcampe.net"
    def seller(self): return self._req("get", "/seller")
    def subscribe(self, t, url):
        return self._req("post", "/notification/settings", data=dict(notificationType=t, destination=url))
    def item_ref(self, ref):
        return self._req("get", "/item/reference/%s" % ref)
    def restart(self, i):
        return self._req(verb="post", path="/item/{0}/restart".format(i))
    def delete(self, i):
        log.warning("deleting /item/%s", i)
        return requests.delete("{}/item/{}".format(self.host, i))

class JiraApi(ApiBase):
    host = "https://jira.example.com/rest/api/2"
    def item(self, i): return requests.get(self.host + "/item/" + i)
