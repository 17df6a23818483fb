import axios, { AxiosInstance, AxiosRequestConfig, Method } from 'axios';
import { Endpoints } from './endpoints';

export class DelcampeService {
  private readonly http: AxiosInstance = axios.create({ baseURL: 'https://rest.delcampe.net/rest', timeout: 10_000 });
  private token?: string;

  private async send<T>(method: Method, url: string, config: AxiosRequestConfig = {}): Promise<T> {
    const { data } = await this.http.request<T>({ method, url, params: { token: this.token }, ...config });
    return data;
  }

  async open(apikey: string): Promise<void> {
    this.token = await this.send<string>('POST', Endpoints.session, { data: new URLSearchParams({ apikey }) });
  }

  getItem(id: number): Promise<string> {
    return this.send<string>('GET', Endpoints.item(id));
  }

  closeItem(id: number, reason: CloseReason): Promise<void> {
    return this.send('DELETE', Endpoints.item(id), { data: { reason } });
  }

  opened(startingItem = 0): Promise<string> {
    return this.http.get(Endpoints.opened, { params: { startingItem, token: this.token } }).then((r) => r.data);
  }

  buyer(id: number) {
    return this.http.get<string>(Endpoints.buyer(id));
  }

  categories(language: 'E' | 'F' = 'E') {
    return this.http.get('/category', { params: { language } });
  }
}
