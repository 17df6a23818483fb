/** Google Apps Script: fills the sheet with sold items. */
var PROPS = PropertiesService.getScriptProperties();
var API = 'https://rest.delcampe.net/rest';

function onOpen() {
  SpreadsheetApp.getUi().createMenu('Delcampe').addItem('Refresh /item list', 'refresh').addToUi();
}

function login_() {
  var r = UrlFetchApp.fetch(API + '/seller', { method: 'post', payload: { apikey: PROPS.getProperty('KEY') } });
  return XmlService.parse(r.getContentText()).getRootElement().getChild('Notification_Data').getChild('body').getChildText('token');
}

function refresh() {
  var token = login_();
  var urls = ['auction', 'fixedprice'].map(function (t) {
    return { url: API + '/item/' + t + '/sold?token=' + token, muteHttpExceptions: true };
  });
  var answers = UrlFetchApp.fetchAll(urls);
  answers.forEach(function (a) { Logger.log('/item: ' + a.getResponseCode()); });
}

function closeRow() {
  var id = SpreadsheetApp.getActiveRange().getValue();
  var options = {
    'method': 'delete',
    'payload': { 'reason': 'NotAvailableItem' }
  };
  UrlFetchApp.fetch(API + '/item/' + id + '?token=' + login_(), options);
}
