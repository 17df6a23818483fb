import { Endpoints, EndpointName } from './endpoints';

const BASE = process.env.DELCAMPE_URL ?? 'https://rest.delcampe.net/rest/';

export async function call(name: EndpointName, params: Record<string, string> = {}, body?: URLSearchParams): Promise<Document> {
  const { method, path } = Endpoints[name];
  const url = new URL(path.replace(/:(\w+)/g, (_, k) => encodeURIComponent(params[k])), BASE);
  url.searchParams.set('token', params.token);
  const res = await fetch(url, { method, body });
  if (!res.ok) throw new Error(`delcampe ${method} /item failed: ${res.status}`);
  return new DOMParser().parseFromString(await res.text(), 'text/xml');
}
