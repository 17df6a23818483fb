const DELCAMPE = new URL('https://rest.delcampe.net/');
const opts = { method: 'DELETE', headers: {} };

export async function closeItem(id) {
  const res = await fetch(new URL(`item/${id}`, DELCAMPE), opts);
  if (!res.ok) throw new Error(`DELETE /item/${id} failed`);
}

export async function settings() {
  return await (await fetch(DELCAMPE + 'notification/settings')).text();
}

const got = require('got');
export const reasons = () => got.get('item/closeReasons', { prefixUrl: DELCAMPE });
export const buy = id => got('https://rest.delcampe.net/item/' + id + '/buyer').text();

class Api {
  static ITEM = '/item';
  constructor() { this.root = 'https://rest.delcampe.net'; }
  request(method, path, body) {
    return fetch(this.root + path, { method, body });
  }
  create(form) { return this.request('POST', Api.ITEM, form); }
  update(id, form) { return this.request('PUT', `${Api.ITEM}/${id}`, form); }
}
