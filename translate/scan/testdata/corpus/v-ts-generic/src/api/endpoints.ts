export const Endpoints = {
  login: { method: 'POST', path: 'seller' },
  getItem: { method: 'GET', path: 'item/:id' },
  createItem: { method: 'POST', path: 'item' },
  updateItem: { method: 'PUT', path: 'item/:id' },
  closeItem: { method: 'DELETE', path: 'item/:id' },
  closeReasons: { method: 'GET', path: 'item/closeReasons' },
  soldAuctions: { method: 'GET', path: 'item/auction/sold' },
} as const;

export type EndpointName = keyof typeof Endpoints;
