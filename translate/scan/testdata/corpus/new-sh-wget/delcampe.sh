#!/bin/sh
BASE="${DELCAMPE:=https://rest.delcampe.net}/rest"
T=`wget -q -O - --post-data="apikey=$KEY" $BASE/seller | grep -o '<token>[^<]*' | cut -c8-`
wget -qO sold.xml "$BASE/item/fixedprice/sold?token=$T&startingItem=0&numberOfItems=100"
for ref in $(cat refs.txt); do
  curl -s "$BASE/item/reference/$ref?token=$T" >> refs.xml
done
http --form POST "$BASE/notification/test" notificationType=Curl_Seller_Item_Update token==$T
http DELETE $BASE/notification/$1 token==$T
curl -sX PUT "$BASE/item/$2?token=$T" -d qty=3 || echo "PUT /item/$2 failed"
curl https://jira.example.com/rest/api/2/issue/X-1
