import { FetchTransport } from './http';
import { Items } from './delcampe/items';

const market = new FetchTransport('https://rest.delcampe.net', '/rest');
const stash = new FetchTransport('https://stash.example.com', '/rest');
let token = '';

async function main() {
  token = await market.send('POST', '/seller', { apikey: process.env.KEY! });
  const items = new Items(market, () => token);
  await items.get(1);
  await market.send('POST', '/notification/test', { notificationType: 'Curl_Seller_Item_Add' });
  console.log(await stash.send('GET', '/item/12'));
  console.log('done: /item/12');
}
main();
