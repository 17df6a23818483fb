export const useDelcampe = () => {
  const config = useRuntimeConfig();
  const token = useState<string>('delcampe-token');

  const api = $fetch.create({
    baseURL: config.public.delcampeBase,
    onRequest({ options }) {
      options.query = { ...options.query, token: token.value };
    },
  });

  return {
    login: (apikey: string) => api('/seller', { method: 'POST', body: new URLSearchParams({ apikey }) }),
    item: (id: number) => api<string>(`/item/${id}`),
    close: (id: number, reason: string) => api(`/item/${id}`, { method: 'DELETE', body: { reason } }),
    categories: (parent = 0) => api('/category', { query: { id_parent: parent } }),
  };
};
