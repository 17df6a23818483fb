export enum Path {
  Sold = '/item/auction/sold',
  Item = '/item',
}
export const HOST = 'https://rest.delcampe.net';
