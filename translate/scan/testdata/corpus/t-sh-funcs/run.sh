#!/usr/bin/env bash
. ./lib.sh
api_get shippingModels > models.xml
api_get "item/auction/closed" | xmllint --format -
api_put "item/$1" "qty=$2"
# api_get item/auction/opened
printf 'GET %s\n' "/item/$1"
http DELETE "https://rest.delcampe.net/item/$1" reason==TestItem
