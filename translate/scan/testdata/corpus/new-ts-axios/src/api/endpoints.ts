export const Endpoints = {
  session: '/seller',
  item: (id: number) => `/item/${id}`, 
  opened: '/item/auction/opened',
  buyer: (id: number) => `/item/${id}/buyer`,
} as const;
