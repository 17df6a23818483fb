import { HOST, Path } from './paths';

export const sold = () => fetch(HOST + Path.Sold).then(r => r.text());
export async function close(id: number): Promise<void> {
  await fetch(`${HOST}${Path.Item}/${id}`, { method: 'DELETE' });
}
export function create(form: FormData) {
  const init: RequestInit = { method: 'POST', body: form };
  return fetch(HOST + Path.Item, init);
}
logger.debug('GET /item/%s', id);
