'use strict';
angular.module('shop.services', ['ngResource'])
  .constant('DELCAMPE', 'https://rest.delcampe.net/rest')
  .factory('Item', ['$resource', 'DELCAMPE', function ($resource, DELCAMPE) {
    return $resource(DELCAMPE + '/item/:id', { id: '@id' }, {
      update: { method: 'PUT' },
      buyer: { method: 'GET', url: DELCAMPE + '/item/:id/buyer' }
    });
  }])
  .service('sales', ['$http', 'DELCAMPE', 'session', function ($http, DELCAMPE, session) {
    this.sold = function (type) {
      return $http.get(DELCAMPE + '/item/' + type + '/sold', { params: { token: session.token } });
    };
    this.close = function (id) {
      return $http({ method: 'DELETE', url: DELCAMPE + '/item/' + id, data: { reason: 'TestItem' } });
    };
    this.login = function (key) {
      return $http.post(DELCAMPE + '/seller', 'apikey=' + key).then(function (r) { session.token = r.data; });
    };
  }])
  .config(['$routeProvider', function ($routeProvider) {
    $routeProvider
      .when('/item/:id', { templateUrl: 'item.html' })
      .when('/item/auction/sold', { templateUrl: 'sold.html' })
      .otherwise({ redirectTo: '/category' });
  }]);
