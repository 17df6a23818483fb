#!/bin/sh
HOST=https://rest.delcampe.net
url="$HOST/item/$1"
curl -s --request DELETE --url "$url" --data "reason=TestItem"
SOLD_URL=$HOST/item/auction/sold?token=$TOKEN
curl -s $SOLD_URL -o sold.xml
for id in $(cat ids); do
  curl -s -XPOST "$HOST/item/$id/restart" -d token=$TOKEN || echo "POST /item/$id/restart failed"
done
case "$2" in
  models) path=/shippingModels ;;
  types) path=/notification/types ;;
esac
curl "$HOST$path"
