import axios from 'axios';
import { API_ROOT } from './config';

const api = axios.create({ baseURL: API_ROOT, timeout: 8000 });

export async function login(key) {
  const { data } = await api.post('/seller', new URLSearchParams({ apikey: key }));
  return data;
}

export const item = (id, token) => api.get(`/item/${id}`, { params: { token } });

export const remove = (id, reason) =>
  api.delete(`/item/${id}`, { data: { reason } });

export async function sold(start) {
  return axios({
    method: 'get',
    url: API_ROOT + '/item/auction/sold',
    params: { startingItem: start, numberOfItems: 200, order: 'DESC' },
  });
}

export function update(id, fields) {
  const url = [API_ROOT, 'item', id].join('/');
  return axios.put(url, fields);
}

// fetch(`${API_ROOT}/item/closeReasons`) was removed in 2019
export function reasons() {
  return fetch(`${API_ROOT}/item/closeReasons`).then(r => r.text());
}
