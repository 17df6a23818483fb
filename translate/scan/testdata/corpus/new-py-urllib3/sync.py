import configparser, urllib.parse, urllib.request

cfg = configparser.ConfigParser()
cfg.read("sync.ini")
base = cfg["delcampe"]["url"]


def call(path, data=None, method=None):
    body = urllib.parse.urlencode(data).encode() if data else None
    req = urllib.request.Request(urllib.parse.urljoin(base, path), data=body, method=method)
    with urllib.request.urlopen(req, timeout=30) as f:
        return f.read()


call("seller", {"apikey": cfg.get("delcampe", "key")})
call("item/77", {"title": "Postcard"}, "PUT")
call("item/77", {"reason": "TestItem"}, method="DELETE")
call("category?language=F")
for state in ["closed", "sold"]:
    call("item/auction/%s" % state)
call(method="POST", path="item/78/restart")
