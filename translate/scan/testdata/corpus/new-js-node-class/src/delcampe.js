'use strict';
const https = require('https');
const qs = require('querystring');
const { parseString } = require('xml2js');

/** Delcampe client. Usage: client.get('/item/1') */
class Delcampe {
  constructor({ key, host = 'rest.delcampe.net' }) {
    this.key = key;
    this.host = host;
  }

  request(method, path, body) {
    const payload = body ? qs.stringify(body) : '';
    return new Promise((resolve, reject) => {
      const req = https.request({
        hostname: this.host,
        path: `/rest${path}${path.includes('?') ? '&' : '?'}token=${this.token || ''}`,
        method,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(payload) },
      }, (res) => {
        let data = '';
        res.on('data', (c) => { data += c; });
        res.on('end', () => parseString(data, (e, x) => (e ? reject(e) : resolve(x))));
      });
      req.on('error', reject);
      req.end(payload);
    });
  }

  async login() {
    const xml = await this.request('POST', '/seller', { apikey: this.key });
    this.token = xml.Notification.Notification_Data[0].body[0].token[0];
  }

  me() { return this.request('GET', '/seller'); }

  item(id) { return this.request('GET', `/item/${id}`); }

  list(type, state, opts = {}) {
    return this.request('GET', `/item/${type}/${state}?${qs.stringify(opts)}`);
  }

  remove = (id, reason) => this.request('DELETE', '/item/' + id, { reason });

  async relist(ids) {
    for (const id of ids) {
      await this.request('POST', ['/item', id, 'restart'].join('/'));
      console.log('relisted /item/' + id);
    }
  }
}

module.exports = Delcampe;
