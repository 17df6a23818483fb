var request = require('request');
var async = require('async');
var conf = require('./conf');
var base = conf.delcampe.protocol + '://' + conf.delcampe.host;

exports.sell = function (item, cb) {
  request.post({ url: base + '/item', form: item, qs: { token: conf.token } }, function (err, res, body) {
    if (err) return cb(new Error('POST /item: ' + err.message));
    cb(null, body);
  });
};
exports.withdraw = function (ids, cb) {
  async.eachSeries(ids, function (id, next) {
    request({ uri: base + '/item/' + id, method: 'DELETE', form: { reason: 'NotAvailableItem' }, qs: { token: conf.token } }, next);
  }, cb);
};
exports.sold = function (kind, cb) {
  var path = kind === 'auction' ? '/item/auction/sold' : '/item/fixedprice/sold';
  request.get(base + path, cb);
};
