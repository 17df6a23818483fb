var DC = DC || {};
DC.base = 'https://rest.delcampe.net/rest';
DC.token = null;

DC.ajax = function (type, path, data, cb) {
  return $.ajax({ url: DC.base + path + (DC.token ? '?token=' + DC.token : ''), type: type, data: data, dataType: 'xml', success: cb,
    error: function (x) { console.log('error at /item', x.status); } });
};
DC.get = function (path, cb) { return DC.ajax('GET', path, null, cb); };

DC.login = function (key) {
  return DC.ajax('POST', '/seller', { apikey: key }, function (x) { DC.token = $(x).find('token').text(); });
};
DC.sold = function (cb) { DC.get('/item/auction/sold', cb); };
DC.buyer = function (id, cb) { DC.get('/item/' + id + '/buyer', cb); };
DC.rate = function (id, n, text) { DC.ajax('POST', '/item/' + id + '/feedback', { feedback: n, comment: text }); };

$(function () {
  $('#closeBtn').on('click', function () {
    var id = $(this).data('id');
    if (!confirm('Close /item/' + id + '?')) return;
    $.ajax({
      url: DC.base + '/item/' + id,
      method: 'DELETE',
      data: { reason: 'NotAvailableItem' }
    });
  });
  $.get('/category', function (d) { $('#cats').html(d); });
  $.post('/item', $('#f').serialize());
});
