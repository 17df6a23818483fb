// The page Start in JavaScript, http://localhost:8080/docs/start. Copy http://localhost:8080/docs/clients/sellerd.mjs beside this file, then:
//
//     SELLERD_KEY=dk_test_… node start.mjs

// 1. Your key
import { Client } from './sellerd.mjs';

const seller = new Client(); // with the key in SELLERD_KEY
console.log((await seller.get('/v1/account')).nickname);

// 2. List an item
const submission = await seller.post('/v1/items', {
  title: 'Belgium 1849, 10c brown Epaulette',
  category_id: '1010101',
  sale_type: 'fixed_price',
  price: { amount: '45.00', currency: 'EUR' },
  personal_reference: 'START-1',
  images: ['https://outcome.test/ready.jpg'],
});

// 3. Wait for its publication
const { item_id: item } = await seller.waitForSubmission(submission.id);
console.log((await seller.get(`/v1/items/${item}`)).status);

// 4. Sell it
const { bill_id: bill } = await seller.post(`/v1/test/items/${item}/purchase`);
console.log((await seller.post(`/v1/test/bills/${bill}/invoice`)).status);
console.log((await seller.post(`/v1/test/bills/${bill}/pay`)).status);

// 5. Read the sale
const { results: [sale] } = await seller.get('/v1/sales', { item_id: item });
const { total } = await seller.get(`/v1/bills/${bill}`);
console.log(sale.buyer.nickname, total.amount);

// 6. Ship it
const parcel = { delivery_service_id: '142', number: 'RR123456785BE' };
console.log((await seller.post(`/v1/bills/${bill}/trackings`, parcel)).number);
console.log((await seller.post(`/v1/bills/${bill}/mark-sent`)).status);
