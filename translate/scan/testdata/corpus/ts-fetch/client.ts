type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

export class RestClient {
  constructor(private base: string, private token: string) {}

  private async send(verb: Verb, path: string, form?: Record<string, string>): Promise<string> {
    const url = new URL(path, this.base);
    url.searchParams.set('token', this.token);
    const response = await fetch(url, { method: verb, body: form && new URLSearchParams(form) });
    return response.text();
  }

  categories(parent: number) { return this.send('GET', `/rest/category?idParent=${parent}&showOnlyLeaves=1`); }
  fields(kind: 'auction' | 'fixedprice') { return this.send('GET', `/rest/item/fields/${kind}`); }
  close(id: string) { return this.send('DELETE', `/rest/item/${id}`, { reason: 'TestItem' }); }
  create(form: Record<string, string>) {
    return this.send('POST', '/rest/item', { ...form, personal_reference: form.ref, id_category: form.cat });
  }
}
