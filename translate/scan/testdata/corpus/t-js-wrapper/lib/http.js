'use strict';
const request = require('request-promise');

module.exports = class Rest {
  constructor({ host, token }) {
    this.host = host;
    this.token = token;
  }

  async exec(verb, resource, form = {}) {
    return request({ method: verb, uri: `${this.host}/${resource}`, form: { ...form, token: this.token } });
  }
};
