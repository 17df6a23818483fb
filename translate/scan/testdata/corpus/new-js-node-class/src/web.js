const express = require('express');
const Delcampe = require('./delcampe');
const app = express();
const d = new Delcampe({ key: process.env.KEY });
app.get('/item/:id', async (req, res) => res.json(await d.item(req.params.id)));
app.post('/notification/test', (req, res) => res.sendStatus(204));
app.get('/server/time', (_, res) => res.send(String(Date.now())));
app.listen(3000);
