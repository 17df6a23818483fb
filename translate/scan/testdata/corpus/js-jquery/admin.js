var DelcampeProxy = {
  root: 'https://rest.delcampe.net',
  load: function (id) {
    $.ajax({
      url: this.root + '/item/' + id,
      type: 'PUT',
      data: { fixed_price: $('#price').val(), currency: 'EUR' },
      success: function (xml) { $('#out').text('updated /item/' + id); }
    });
  },
  list: function () {
    $.get(DelcampeProxy.root + '/item/fixedprice/closed', { numberOfItems: 10 }, function (xml) { render(xml); });
  },
  add: function (form) {
    $.post(DelcampeProxy.root + '/item', form.serialize());
  },
  setting: function (id) {
    var xhr = new XMLHttpRequest();
    xhr.open('DELETE', DelcampeProxy.root + '/notification/' + id, true);
    xhr.send();
  }
};
$('a.item').attr('href', '/item/' + current);
window.location = '/seller';
