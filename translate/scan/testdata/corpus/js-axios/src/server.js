const express = require('express');
const app = express();
app.get('/item/:id', (req, res) => res.send('ok'));
app.post('/item', handler);
app.get('/category', listCategories);
const router = express.Router();
router.delete('/item/:id', (req, res) => { res.sendStatus(204); });
console.log('listening, try GET /item/1');
