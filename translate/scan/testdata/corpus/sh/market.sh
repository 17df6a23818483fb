#!/bin/bash
# curl -X DELETE $BASE/item/1
set -e
BASE="https://rest.delcampe.net"
KEY=$(cat ~/.key)

call() {
  local method=$1 path=$2
  shift 2
  curl -s -X "$method" "$BASE$path" -d "token=$TOKEN" "$@"
}

TOKEN=$(curl -s "$BASE/seller" -d "apikey=$KEY" | sed -n 's/.*<token>\(.*\)<.*/\1/p')
curl -sS "$BASE/item/$1?token=$TOKEN"
curl -X PUT \
  "${BASE}/item/${ITEM}?token=${TOKEN}" \
  --data-urlencode "title=New title" -d qty=2
call DELETE "/item/$ITEM" -d reason=TestItem
call POST /notification/test -d notificationType=Curl_Default
for state in opened closed sold; do
  wget -qO- "$BASE/item/fixedprice/$state?token=$TOKEN"
done
wget --method=DELETE --body-data='' "$BASE/notification/7"
echo "GET $BASE/item/1 failed" >&2
curl https://jira.example.com/rest/item/5
