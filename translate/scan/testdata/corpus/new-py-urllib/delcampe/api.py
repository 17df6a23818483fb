# -*- coding: utf-8 -*-
"""Small wrapper round the Delcampe REST API.

>>> api = Api('key')
>>> api.get('item/1234')

GET /rest/item/fixedprice/opened lists what is on sale.
"""
import urllib
import urllib2
from xml.etree import ElementTree as ET

ROOT = 'https://rest.delcampe.net/rest/'


class RequestWithMethod(urllib2.Request):
    def __init__(self, *args, **kwargs):
        self._method = kwargs.pop('method', None)
        urllib2.Request.__init__(self, *args, **kwargs)

    def get_method(self):
        return self._method or urllib2.Request.get_method(self)


class Api(object):
    def __init__(self, key):
        self.key = key
        self.token = None

    def login(self):
        doc = self._send('POST', 'seller', {'apikey': self.key})
        self.token = doc.findtext('.//token')

    def _send(self, method, path, params=None):
        url = ROOT + path
        data = None
        if params is not None:
            data = urllib.urlencode(params)
        if self.token:
            url += '?token=%s' % self.token
        req = RequestWithMethod(url, data, method=method)
        return ET.fromstring(urllib2.urlopen(req).read())

    def get(self, path):
        return self._send('GET', path)

    def item(self, item_id):
        return self.get('item/%s' % item_id)

    def by_reference(self, ref):
        return self.get('item/reference/' + urllib.quote(ref))

    def opened(self, kind='fixedprice', start=0, n=100):
        return self.get('item/%s/opened?startingItem=%d&numberOfItems=%d' % (kind, start, n))

    def close(self, item_id, reason=u'TestItem'):
        return self._send('DELETE', 'item/%s' % item_id, {'reason': reason})

    def restart(self, item_id):
        return self._send('POST', '/'.join(['item', str(item_id), 'restart']), {})

    def add_notification(self, typ, dest):
        return self._send('POST', 'notification/settings', dict(notificationType=typ, destination=dest))

    def drop_notification(self, nid):
        return self._send('DELETE', 'notification/{0}'.format(nid))
