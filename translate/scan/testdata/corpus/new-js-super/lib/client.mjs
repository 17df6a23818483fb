import request from 'superagent';
import { config } from '../config.mjs';

const url = (...parts) => [config.api.root, ...parts].join('/');

export const fetchItem = async (id) => (await request.get(url('item', id)).query({ token: config.token })).text;
export const restart = (id) => request.post(url('item', id, 'restart')).query({ token: config.token });
export const close = (id, reason) => request.delete(url('item', id)).type('form').send({ reason });
export const types = () => request(`${config.api.root}/notification/types`);
export async function serverTime() {
  const res = await fetch(new URL('/rest/server/time', config.api.origin));
  return res.text();
}
export const unsubscribe = (n) => fetch(`${config.api.root}/notification/${n}`, { method: 'delete' });
