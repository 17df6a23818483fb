package operator

import "sellerd/internal/command"

// Details are what --help says of the commands beyond their flags.
var Details = command.Details{
	"accounts": {`These commands work beside a running server, whose next request sees their effect.`},
	"accounts create": {"", `
sellerd accounts create --nickname anna --email anna@example.com
sellerd accounts create --nickname shop --email shop@example.com --type professional`},
	"accounts list": {`Prints a list in the order of the accounts' ids. It works beside a running server.`, `
sellerd accounts list --email anna@example.com
sellerd accounts list --status suspended --format id`},
	"accounts show": {`
Prints the account as JSON: its own limits and how much of them is used in each mode, its keys without secrets, how many bills
have which status, and for each webhook how many events wait and what its last failure was.`, "sellerd accounts show anna@example.com"},
	"accounts suspend": {`
From the next request on, all requests of the account are answered 403. Its items stay on sale, and nothing is deleted.`, `
sellerd accounts suspend 5001`},
	"accounts resume": {`The account's keys work again from the next request on.`, "sellerd accounts resume 5001"},
	"accounts export": {`
Writes a file for each table and mode, with a JSON object on each line: items, sales, bills, ratings, parcels, webhooks
and keys without secrets, events and the rest; pictures.txt has the addresses of the pictures, and export.json lists the
files. Amounts are in cents. Only the owner of the files can read them.`, `
sellerd accounts export anna --to anna.zip
sellerd accounts export 5001 --to anna`},
	"accounts close": {`
From the next request on, the account's keys are revoked. Its webhooks get no events, and its items leave the market,
except auctions with bids, which run to their end. Bills and all other data are kept for ten years, the longest time for
which most countries want bills to be kept; then a server erases everything in steps. Until then accounts reopen opens
the account again. Run the command again to choose other years.`, `
sellerd accounts close anna
sellerd accounts close 5001 --keep-years 7
sellerd accounts close anna --erase-now --confirm anna`},
	"accounts reopen": {`
The account is active then, even if it was suspended before it was closed, and needs new keys. Its webhooks stay paused and its
items closed until the seller changes that.`, "sellerd accounts reopen anna"},
	"accounts forget-buyer": {`
What sellers need for their books stays: ids, country, language, amounts, dates and ratings. It refuses while a bill
of the buyer is neither sent nor cancelled, and while the buyer leads an auction.`, "sellerd accounts forget-buyer --buyer 70001"},
	"buyers": {`These commands work beside a running server. accounts forget-buyer erases what they show.`},
	"buyers find": {`
Prints the buyers whose data have the text, which accounts sold to them, and how many rows are about them. places are all columns
that have the text, such as comments and notes: forget-buyer does not change those. --format id and table print the buyers
alone. The command reads whole tables. The case of letters from A to Z does not matter.`, `
sellerd buyers find carl@example.org
sellerd buyers find "Carl Claes" --format table`},
	"buyers export": {`
The document has a list for each table: the buyer's own data, bills, sales, bids, ratings, parcels, events, deliveries and stored
answers. Amounts are in cents. It answers a request under Articles 15 and 20 of the GDPR.`, "sellerd buyers export 70001 > buyer.json"},
	"keys": {`These commands work beside a running server, whose next request sees their effect. A key's id is its third part,
between its second underscore and its third.`},
	"keys create": {`A key permits everything, or what --permissions lists. What a key permits never changes: make another one and revoke
the first. Names, addresses, phone numbers and e-mail addresses of buyers are shown to a key whose list has buyers:read, and
--read-only does not include it.`, `
sellerd keys create --account 5001 --mode test
KEY=$(sellerd keys create --account 5001 --mode live --name "shop software" --expires 365d)
sellerd keys create --account 5001 --mode live --name statistics --read-only
sellerd keys create --account 5001 --mode live --permissions items:read,bills:write,buyers:read`},
	"keys list":   {"", "sellerd keys list --account anna --format table"},
	"keys revoke": {`Requests with the key are refused from then on.`, `sellerd keys revoke "$KEY"`},
	"keys rotate": {`
The new key has the name, the mode and the permissions of the old one. It lives, from now on, as long as the old one was made
for. An overlap never lengthens the life of the old key. To choose another end, make a key with keys create. A key has one
successor: one that was never used is revoked and replaced, and if it was used, rotate that one.`, `
NEW=$(sellerd keys rotate "$KEY" --overlap 7d)`},
	"shipping-models":      {`These commands work beside a running server, whose next request sees their effect.`},
	"shipping-models list": {"", "sellerd shipping-models list 5001 > models.json"},
	"shipping-models set": {`
A model with an id is changed, one without is made, and one that the file does not name is deleted, or retired if an
item or a sale has it. What became of each is printed. A file with a mistake changes nothing.`, `
sellerd shipping-models set 5001 models.json
sellerd shipping-models set 5001 models.json --mode test`},
	"operators": {`These commands work beside a running server, whose next request sees their effect. The token of --operator-token, or of
the file beside the database, belongs to an operator named token with the role admin, whom these commands do not change.`},
	"operators create": {`
read sees everything and changes nothing. support also changes accounts and their limits, suspends and resumes them, revokes
keys and pauses webhooks. admin does everything.`, `
TOKEN=$(sellerd operators create --name anna --role support)
sellerd operators create --name bert@example.com --role read --no-token`},
	"operators list": {`Prints a JSON list, the newest first, with those who are revoked.`, "sellerd operators list"},
	"operators revoke": {`Requests with the token are refused from then on. The name is free again, and the audit log keeps it.`, `
sellerd operators revoke anna`},
	"audit": {`
Lists the changes of operators, and every key that was made, rotated or revoked, the newest first. They are kept for 365 days.`, `
sellerd audit --account 5001
sellerd audit --operator anna --json`},
	"legacy report": {`A key is active if it called /rest in the last 30 days. Else it is done if its account uses /v1, and silent if not.
count is the calls of today and the 30 days before; in the CSV each call stands with its own number. rest_share is the
part of the account's requests that went to /rest, from the day rest_share_since on. Calls answered 410 count too. A running
server stores its counts every few seconds.`, `
sellerd legacy report --state active
sellerd legacy report --csv > left.csv`},
	"legacy letters": {`
Writes a letter to each seller who still calls /rest, in the language of the account, and sends nothing. A letter lists the
calls by key, with the fields that /v1 does not take as they are, and says what to do. It shows no key, and nothing of a
buyer.

An account is active if one of its keys called /rest in the last 30 days. Else it is done if it uses /v1, and silent if
not. Those that are done get no letter. Suspended accounts get none either, and in the formats of e-mail nor do accounts
without a usable address: their ids are printed, and the next run looks at them again.

The letters are all there, or none. A file lists the accounts that got a letter, and a second run leaves them out. After each
reminder of the feed, --since with its day writes again to those who have not moved.`, `
sellerd legacy letters --base-url https://api.example.com --from "Support <support@example.com>"
sellerd legacy letters --format mbox --out second.mbox --since 2027-04-08
sellerd legacy letters --format csv --state active`},
}
