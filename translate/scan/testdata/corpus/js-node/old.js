'use strict'
const http = require('http')
const querystring = require('querystring')

function request (method, path, fields, done) {
  const body = querystring.stringify(fields)
  const options = {
    hostname: 'rest.delcampe.net',
    path: path,
    method: method,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
  }
  const req = http.request(options, function (res) {
    res.on('data', function (chunk) { done(null, chunk) })
  })
  req.write(body)
  req.end()
}

request('POST', '/seller', { apikey: process.env.KEY }, function (err, xml) {
  if (err) throw err
  request('GET', '/item/reference/' + encodeURIComponent(ref), {}, print)
  request('POST', '/item/' + id + '/restart', { token: token }, print)
  request('PUT', '/notification/' + setting, {}, print)
})

http.get({
  host: 'rest.delcampe.net',
  path: '/shippingModels?token=' + token
}, print)
