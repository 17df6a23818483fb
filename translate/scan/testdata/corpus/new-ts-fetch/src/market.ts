import { get, post, put, del } from './http';

export const market = {
  login: (apikey: string) => post<Session>('/seller', { apikey }),
  me: () => get<Seller>('/seller'),
  item: (id: number) => get<Item>(`/item/${id}`),
  save: (id: number, f: Fields) => put<void>(`/item/${id}`, f),
  close: (id: number, reason: string) => del<void>(`/item/${id}`, { reason }),
  hooks: {
    list: () => get<Hook[]>('/notification/settings'),
    add: (t: string, d: string) => post('/notification/settings', { notificationType: t, destination: d }),
    toggle: (id: number) => put(`/notification/${id}`),
  },
};
