export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';
const API_ROOT = import.meta.env.VITE_DELCAMPE ?? 'https://rest.delcampe.net/rest';

export async function http<T>(verb: Verb, path: string, body?: Record<string, string>): Promise<T> {
  const res = await fetch(`${API_ROOT}${path}`, { method: verb, body: body && new URLSearchParams(body) });
  if (!res.ok) throw new Error(`${verb} ${path}: ${res.status}`);
  return parse<T>(await res.text());
}

export const get = <T>(path: string) => http<T>('GET', path);
export const post = <T>(path: string, body: Record<string, string> = {}) => http<T>('POST', path, body);
export const put = <T>(path: string, body: Record<string, string> = {}) => http<T>('PUT', path, body);
export const del = <T>(path: string, body?: Record<string, string>) => http<T>('DELETE', path, body);
