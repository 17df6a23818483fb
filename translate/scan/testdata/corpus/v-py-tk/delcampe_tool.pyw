#!/usr/bin/env python
# -*- coding: utf-8 -*-
# Small window: list what sold today. v0.3 2013
import urllib, urllib2
from Tkinter import *
from xml.dom import minidom
import ConfigParser

cfg = ConfigParser.ConfigParser()
cfg.read('tool.cfg')
URL = cfg.get('api', 'url')
KEY = cfg.get('api', 'key')

class MethodRequest(urllib2.Request):
    def __init__(self, url, data=None, method=None):
        urllib2.Request.__init__(self, url, data)
        self._m = method
    def get_method(self):
        return self._m or urllib2.Request.get_method(self)

def ask(path, data=None, method=None, **query):
    if token:
        query['token'] = token
    u = '%s/%s?%s' % (URL, path, urllib.urlencode(query))
    f = urllib2.urlopen(MethodRequest(u, data and urllib.urlencode(data), method))
    return minidom.parse(f)

token = None
token = ask('seller', {'apikey': KEY}).getElementsByTagName('token')[0].firstChild.data

def refresh():
    box.delete(0, END)
    for t in ('auction', 'fixedprice'):
        dom = ask('item/%s/sold' % t, numberOfItems=50)
        for n in dom.getElementsByTagName('title'):
            box.insert(END, n.firstChild.data)

def close_selected():
    ident = entry.get()
    ask('item/' + ident, {'reason': 'NotAvailableItem'}, 'DELETE')

def restart_selected():
    ask('item/%s/restart' % entry.get(), {}, method='POST')

def show_reasons():
    label.config(text=ask('item/closeReasons').toxml())

root = Tk()
label = Label(root, text='GET /item/closeReasons')
entry = Entry(root)
box = Listbox(root)
Button(root, text='Close', command=close_selected).pack()
mainloop()
