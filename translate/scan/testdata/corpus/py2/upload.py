# -*- coding: latin-1 -*-
import urllib, urllib2, httplib
HOST = 'rest.delcampe.net'

def upload(fields):
    data = urllib.urlencode(fields)
    req = urllib2.Request('http://%s/item?token=%s' % (HOST, TOKEN), data)
    return urllib2.urlopen(req).read()

def restart(id):
    return urllib2.urlopen('http://' + HOST + '/item/' + str(id) + '/restart', '').read()

def delete(id):
    conn = httplib.HTTPConnection(HOST)
    conn.request('DELETE', '/item/%d' % id, urllib.urlencode({'reason': 'LostOrBrokenItem'}))
    return conn.getresponse().status

def update(id, fields):
    request = urllib2.Request('http://rest.delcampe.net/item/%d' % id, urllib.urlencode(fields))
    request.get_method = lambda: 'PUT'
    return urllib2.urlopen(request)

def models():
    f = urllib.urlopen("http://rest.delcampe.net/shippingModels?token=" + TOKEN)
    return f.read()
