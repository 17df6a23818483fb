const receiver = require('express')();
receiver.post('/in', (req, res) => {
  const type = req.body.delcampeNotification.type;
  switch (type) {
    case 'Seller_Item_Close_Sold': return sold(req);
    case 'Seller_Item_Add': return added(req);
  }
});
fetch('/notification/settings');
axios.get('/item/' + id);
