'use strict';

var https = require('https');
var qs = require('querystring');

function Delcampe(opts) {
  this.host = opts.host || 'rest.delcampe.net';
  this.token = null;
}

Delcampe.prototype._request = function (method, path, params, done) {
  var body = method === 'GET' ? '' : qs.stringify(params);
  var req = https.request({
    hostname: this.host,
    port: 443,
    method: method,
    path: '/rest' + path + '?token=' + this.token + (method === 'GET' ? '&' + qs.stringify(params) : ''),
    headers: { 'Content-Length': Buffer.byteLength(body) }
  }, function (res) {
    var out = '';
    res.on('data', function (d) { out += d; });
    res.on('end', function () { done(null, out); });
  });
  req.on('error', done);
  req.end(body);
};

['auction', 'fixedprice'].forEach(function (type) {
  Delcampe.prototype[type + 'Sold'] = function (start, done) {
    this._request('GET', '/item/' + type + '/sold', { startingItem: start }, done);
  };
});

Delcampe.prototype.withdraw = function (id, done) {
  this._request('DELETE', '/item/' + id, { reason: 'NotAvailableItem' }, done);
};
Delcampe.prototype.rate = function rate(id, text, done) {
  this._request('POST', ['', 'item', id, 'feedback'].join('/'), { comment: text }, done);
};
Delcampe.prototype.time = function (done) {
  https.get('https://' + this.host + '/server/time', done);
};

module.exports = Delcampe;
