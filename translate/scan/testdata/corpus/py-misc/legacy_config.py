import configparser, pycurl, io
cfg = configparser.ConfigParser()
cfg.read("shop.ini")
base = cfg.get("delcampe", "base_url")

def close(item_id):
    c = pycurl.Curl()
    c.setopt(pycurl.URL, base + "/item/" + str(item_id))
    c.setopt(pycurl.CUSTOMREQUEST, "DELETE")
    c.perform()

def create(fields):
    c = pycurl.Curl()
    c.setopt(c.URL, "%s/item" % base)
    c.setopt(c.POSTFIELDS, urlencode(fields))
    c.perform()

def categories():
    from urllib.request import urlopen, Request
    with urlopen(f"{base}/category?language=F") as r:
        return r.read()

def switch(n):
    req = Request(base + f"/notification/{n}", method="PUT")
    return urlopen(req)
