import { HttpModule, HttpService } from '@nestjs/axios';

const PATHS = {
  item: (id: string) => `/item/${id}`,
  buyer: (id: string) => `/item/${id}/buyer`,
  models: '/shippingModels',
} as const;

@Injectable()
export class DelcampeClient {
  private base = 'https://rest.delcampe.net';
  constructor(private readonly http: HttpService) {}

  models() { return this.http.get(this.base + PATHS.models); }
  close(id: string) { return this.http.delete(`${this.base}/item/${id}`); }
}

@Controller('item')
export class ItemController {
  @Get('/item/:id') show() {}
  @Post('/item') create() {}
}
