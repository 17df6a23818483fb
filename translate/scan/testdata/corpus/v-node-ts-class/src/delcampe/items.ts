import type { Transport } from '../http';

/**
 * Items. See `PUT /item/{id}`.
 * @example await items.get(12) // GET /item/12
 */
export class Items {
  #t: Transport;
  constructor(transport: Transport, private token: () => string) {
    this.#t = transport;
  }
  get(id: number) {
    return this.#t.send('GET', `/item/${id}?token=${this.token()}`);
  }
  buyer = (id: number) => this.#t.send('GET', `/item/${id}/buyer?token=${this.token()}`);
  async update(id: number, form: Record<string, string>) {
    return this.#t.send('PUT', `/item/${id}`, { ...form, token: this.token() });
  }
  opened(kind: 'auction' | 'fixedprice', from = 0) {
    return this.#t.send('GET', '/item/' + kind + '/opened?startingItem=' + from);
  }
}
