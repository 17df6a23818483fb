import { HttpService } from '@nestjs/axios';
import { Injectable, Logger } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { firstValueFrom } from 'rxjs';

@Injectable()
export class DelcampeService {
  private readonly logger = new Logger(DelcampeService.name);
  private readonly baseUrl: string;

  constructor(private readonly http: HttpService, config: ConfigService) {
    this.baseUrl = config.get<string>('DELCAMPE_URL');
  }

  async item(id: string): Promise<string> {
    const { data } = await firstValueFrom(this.http.get(`${this.baseUrl}/item/${id}`, { params: { token: await this.token() } }));
    return data;
  }

  async update(id: string, dto: UpdateItemDto): Promise<void> {
    await firstValueFrom(this.http.put(`${this.baseUrl}/item/${id}`, new URLSearchParams(dto as any)));
    this.logger.log(`PUT /item/${id} done`);
  }

  async closeReasons() {
    return firstValueFrom(this.http.request({ method: 'GET', baseURL: this.baseUrl, url: '/item/closeReasons' }));
  }

  private async token(): Promise<string> {
    const res = await firstValueFrom(this.http.post<string>(this.baseUrl + '/seller', `apikey=${process.env.DELCAMPE_KEY}`));
    return /<token>(.*?)<\/token>/.exec(res.data)?.[1] ?? '';
  }
}
