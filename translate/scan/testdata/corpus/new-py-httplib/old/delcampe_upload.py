#!/usr/bin/python
import httplib, urllib, sys

HOST = 'rest.delcampe.net'

def send(verb, path, params):
    conn = httplib.HTTPSConnection(HOST)
    conn.request(verb, '/rest' + path, urllib.urlencode(params), {'Content-Type': 'application/x-www-form-urlencoded'})
    resp = conn.getresponse()
    body = resp.read()
    conn.close()
    return body

token = send('POST', '/seller', {'apikey': sys.argv[1]})
for line in open('items.csv'):
    title, price = line.split(';')
    print send('POST', '/item?token=' + token, {'title': title, 'fixed_price': price, 'personal_reference': title[:20]})
print send('GET', '/item/fixedprice/opened?token=%s&numberOfItems=1000' % token, {})
c = httplib.HTTPConnection('www.example.org')
c.request('GET', '/item/fixedprice/opened')
