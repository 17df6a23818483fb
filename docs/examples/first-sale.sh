#!/bin/sh
# A first sale, from listing to parcel, with nothing but a test key: what a seller's tool does, and by way of the sandbox
# what the buyer and the marketplace do in between. It needs curl, grep and sed.
#
#   BASE_URL=http://localhost:8080 SELLERD_KEY=dk_test_… sh docs/examples/first-sale.sh
#
# Without SELLERD_KEY it takes the demo's test key. Run it as often as you like: it only looks for what it made itself.
set -eu

base=${BASE_URL:-http://localhost:8080}
key=${SELLERD_KEY:-$(grep -o 'dk_test_[A-Za-z0-9_]*' data/demo-keys.json)}

# call METHOD PATH STATUS [BODY] sends a request and leaves the body of the answer in $answer. Any other status ends the
# script with the answer.
call() {
	set -- "$@" ''
	if [ -n "$4" ]; then
		answer=$(curl -sS -X "$1" "$base$2" -H "X-Api-Key: $key" -w '%{http_code}' -H 'Content-Type: application/json' -d "$4")
	else
		answer=$(curl -sS -X "$1" "$base$2" -H "X-Api-Key: $key" -w '%{http_code}')
	fi
	if [ "${answer#"${answer%???}"}" != "$3" ]; then
		printf '%s %s should answer %s, but answered\n%s\n' "$1" "$2" "$3" "$answer" >&2
		exit 1
	fi
	answer=${answer%???}
}

# first NAME is the first string of that name in the answer.
first() { printf '%s' "$answer" | grep -o "\"$1\":\"[^\"]*\"" | sed -n '1s/^[^:]*:"\(.*\)"$/\1/p'; }

# amount NAME is the first amount of money of that name in the answer.
amount() { printf '%s' "$answer" | sed 's/.*"'"$1"'":{"amount":"\([^"]*\)","currency":"\([^"]*\)"}.*/\2 \1/'; }

# last NAME is the last one.
last() { printf '%s' "$answer" | grep -o "\"$1\":\"[^\"]*\"" | sed -n '$s/^[^:]*:"\(.*\)"$/\1/p'; }

# say STEP RESULT prints the result of a step.
say() { printf '%-25s %s\n' "$1" "$2"; }

# holds "sales?FILTER" ID… looks for ids in a list, newest first.
holds() {
	path=$1
	shift
	newest "$path"
	for id in "$@"; do
		if ! printf '%s' "$answer" | grep -q "{\"id\":\"$id\""; then
			printf '%s is missing in /v1/%s:\n%s\n' "$id" "$path" "$answer" >&2
			exit 1
		fi
	done
	printf '  %-50s has %s\n' "$path" "$*"
}

# lacks "sales?FILTER" ID makes sure that a list does not hold an id.
lacks() {
	newest "$1"
	if printf '%s' "$answer" | grep -q "{\"id\":\"$2\""; then
		printf '%s should not be in /v1/%s:\n%s\n' "$2" "$1" "$answer" >&2
		exit 1
	fi
	printf '  %-50s has not %s\n' "$1" "$2"
}

newest() {
	case $1 in
	sales*) call GET "/v1/$1&sort=sold_at_desc" 200 ;;
	*) call GET "/v1/$1&sort=created_at_desc" 200 ;;
	esac
}

# The seller lists three pieces of an item. It is published usually within a second, at most 15 minutes later.
call POST /v1/items 202 '{
	"title": "France 1849, 20c black Ceres", "category_id": "1010101", "sale_type": "fixed_price", "quantity": 3, "weight_grams": 20,
	"price": {"amount": "45.00", "currency": "EUR"}, "images": ["https://outcome.test/ready.jpg"]
}'
submission=$(first id)
tries=0
until [ "$(first status)" = published ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 30 ] || [ "$(first status)" = rejected ]; then
		printf 'The item is not published:\n%s\n' "$answer" >&2
		exit 1
	fi
	sleep 1
	call GET "/v1/item-submissions/$submission" 200
done
item=$(first item_id)
call GET "/v1/items/$item" 200
say 'List an item' "item $item is $(last status) for $(amount price)"

# The buyer buys one, the marketplace invoices it and takes the payment.
call POST "/v1/test/items/$item/purchase" 200 '{"buyer": {"nickname": "test-klara"}}'
sale=$(first id) bill=$(first bill_id) sold_at=$(first sold_at)
buyer=$(printf '%s' "$answer" | sed 's/.*"buyer":{"id":"\([^"]*\)".*/\1/')
say 'A buyer buys it' "sale $sale to $(first nickname), on bill $bill"
call POST "/v1/test/bills/$bill/invoice" 200
say 'The bill is invoiced' "it is $(first status), $(amount total) with shipping for $(amount shipping_cost)"
call POST "/v1/test/bills/$bill/pay" 200
paid_at=$(first paid_at)
created_at=$(printf '%s' "$answer" | sed 's/.*"created_at":"\([^"]*\)","paid_at".*/\1/')
say 'The bill is paid' "it is $(first status)"

# The seller rates the buyer, sends two parcels and corrects the number of one.
call POST "/v1/sales/$sale/rating" 201 '{"score": 100, "comment": "Paid within the hour"}'
say 'Rate the buyer' "$(first comment)"
call POST "/v1/bills/$bill/trackings" 201 '{"delivery_service_id": "142", "number": "RR123456785BE"}'
say 'Attach a tracking' "$(first number), $(first tracking_url)"
call POST "/v1/bills/$bill/trackings" 201 '{"delivery_service_id": "144", "number": "CD000000000BE"}'
tracking=$(first id)
say 'Attach another' "$(first number)"
call PATCH "/v1/bills/$bill/trackings/$tracking" 200 '{"number": "CD123456785BE", "note": "The album"}'
say 'Correct it' "$(first number), $(first note)"
call GET "/v1/bills/$bill/trackings" 200
say 'Read both' "$(first number) and $(last number)"
call POST "/v1/bills/$bill/mark-sent" 200
sent_at=$(first sent_at)
say 'Mark the bill as sent' "it is $(first status)"

# Another buyer buys a piece, and the sale is cancelled.
call POST "/v1/test/items/$item/purchase" 200 '{"buyer": {"nickname": "test-lena"}}'
cancelled=$(first id) cancelled_bill=$(first bill_id) cancelled_at=$(first sold_at)
say 'Another buyer buys one' "sale $cancelled to $(first nickname), on bill $cancelled_bill"
call POST "/v1/test/sales/$cancelled/cancel" 200 '{"reason": "Changed their mind"}'
updated_at=$(printf '%s' "$answer" | sed 's/.*"updated_at":"\([^"]*\)".*/\1/')
say 'That sale is cancelled' "$(first reason)"
call GET "/v1/items/$item" 200
say 'The piece is back' "item $item is $(last status), $(printf '%s' "$answer" | sed 's/.*"quantity_available":\([0-9]*\).*/\1/') of 3 are left"

# All of it is in the lists, under every filter.
echo 'Sales'
holds "sales?item_id=$item" "$sale" "$cancelled"
holds "sales?bill_id=$bill" "$sale"
holds "sales?buyer_id=$buyer" "$sale"
holds "sales?sold_from=$sold_at" "$sale" "$cancelled"
lacks "sales?sold_to=$cancelled_at" "$cancelled"
holds "sales?cancellation_status=none" "$sale"
lacks "sales?cancellation_status=none" "$cancelled"
holds "sales?cancellation_status=cancelled" "$cancelled"
holds "sales?rating_status=rated" "$sale"
holds "sales?rating_status=unrated" "$cancelled"
holds "sales?updated_from=$updated_at" "$cancelled"
echo 'Bills'
holds "bills?status=sent" "$bill"
holds "bills?status=cancelled" "$cancelled_bill"
holds "bills?buyer_id=$buyer" "$bill"
holds "bills?sale_id=$sale" "$bill"
holds "bills?item_id=$item" "$bill" "$cancelled_bill"
holds "bills?has_tracking=true" "$bill"
lacks "bills?has_tracking=true" "$cancelled_bill"
holds "bills?has_tracking=false" "$cancelled_bill"
holds "bills?created_from=$created_at" "$bill" "$cancelled_bill"
holds "bills?paid_from=$paid_at" "$bill"
holds "bills?sent_from=$sent_at" "$bill"
holds "bills?updated_from=$updated_at" "$cancelled_bill"
