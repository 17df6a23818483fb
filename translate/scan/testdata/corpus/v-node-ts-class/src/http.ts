export interface Transport {
  send(method: string, path: string, form?: Record<string, string>): Promise<string>;
}

export class FetchTransport implements Transport {
  constructor(private readonly origin: string, private readonly prefix = '') {}

  async send(method: string, path: string, form?: Record<string, string>): Promise<string> {
    const response = await fetch(`${this.origin}${this.prefix}${path}`, {
      method,
      body: form ? new URLSearchParams(form) : undefined,
    });
    return response.text();
  }
}
