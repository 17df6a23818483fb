const express = require('express');
const axios = require('axios').default;
const { XMLParser } = require('fast-xml-parser');

const delcampe = axios.create({ baseURL: process.env.DELCAMPE_URL || 'https://rest.delcampe.net/rest', responseType: 'text' });
const stash = axios.create({ baseURL: 'https://stash.example.com/rest' });
delcampe.interceptors.request.use((c) => ({ ...c, params: { ...c.params, token: session.token } }));

const session = {};
const app = express();

app.get('/item/:id', async (req, res) => {
  const { data } = await delcampe.get(`/item/${req.params.id}`);
  res.send(data);
});
app.put('/item/:id', async (req, res) => {
  await delcampe({ method: 'put', url: `/item/${req.params.id}`, data: new URLSearchParams(req.body) });
  res.sendStatus(204);
});
app.delete('/item/:id', (req, res, next) => delcampe.delete('/item/' + req.params.id, { data: 'reason=TestItem' }).then(() => res.end(), next));
app.get('/item/auction/sold', (req, res) => res.redirect('/item/fixedprice/sold'));

app.get('/bugs', async (_req, res) => {
  const [a, b] = await Promise.all([stash.get('/item/12'), stash.request({ url: '/category', method: 'GET' })]);
  res.json({ a: a.data, b: b.data });
});

async function warmup() {
  const r = await delcampe.post('/seller', `apikey=${process.env.KEY}`);
  session.token = new XMLParser().parse(r.data).Notification.Notification_Data.body.token;
  for (const p of ['/shippingModels', '/item/closeReasons']) {
    console.log(p, (await delcampe.get(p)).status);
  }
}
warmup().then(() => app.listen(3000));
