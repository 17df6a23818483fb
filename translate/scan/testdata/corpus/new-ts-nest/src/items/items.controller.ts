import { Controller, Delete, Get, Param } from '@nestjs/common';
@Controller('item')
export class ItemsController {
  constructor(private readonly delcampe: DelcampeService) {}
  @Get('/item/:id') one(@Param('id') id: string) { return this.delcampe.item(id); }
  @Delete(':id') close() {}
  @Get('closeReasons') reasons() { return this.delcampe.closeReasons(); }
}
