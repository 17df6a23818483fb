package guide

import (
	"fmt"
	"strconv"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

// This file has the texts of the guide: the dates, what stays, and the order in which to move.

func opening(base string) []string {
	return []string{
		fmt.Sprintf("Your program calls `/rest`. That works until %s; from 00:00 UTC of that day on, everything under `/rest` answers 410 with the code "+
			"[`%s`](/errors/%s). This guide shows for each call what to send to `/v1` in its place.", day(translate.Sunset), v1.LegacyAPIRetired, v1.LegacyAPIRetired),
		"Both interfaces show the same items and sales under the same rules, so you can move one call at a time, and check each move by asking both.",
		"To begin at once: [set the variables](#begin), find your call in [the index](#index), run its two commands, and read the tables below them. " +
			"To have a request of your own rewritten, [paste it into the translator](/migration/translate). [`GET /v1/account/legacy-usage`](#phase-off) " +
			"lists the calls that your account still makes.",
		"Where do your programs call `/rest`? `seller scan --host " + host(base) + " FOLDER` [finds every place](/docs/scan) in programs, settings and logs, and prints " +
			"them in the order of the steps of this guide.",
	}
}

// host returns the host of an address.
func host(base string) string {
	_, after, _ := strings.Cut(base, "://")
	name, _, _ := strings.Cut(after, "/")
	return name
}

func timeline() []Moment {
	return []Moment{
		{day(translate.Deprecated), "`/v1` is released and `/rest` is deprecated. Every answer of `/rest` says so in the headers `Deprecation` and `Sunset`, " +
			"and its `Link` leads to the call in this guide."},
		{"until " + day(translate.Sunset), "Both interfaces work. `/rest` stays as it is documented. Where it turns out to answer otherwise, it is corrected, " +
			"and [the change log](/changelog) says so."},
		{"180, 90, 30, 7 and 1 days before", "[The feed](/changelog.atom?category=deprecation) reminds of the end. [The calendar](" + CalendarPath + ") has the same days."},
		{day(translate.Sunset) + ", 00:00 UTC", fmt.Sprintf("Everything under `/rest` answers 410 in the old XML, with the code `%s` and the address of this "+
			"guide, whatever the call and without a look at keys.", v1.LegacyAPIRetired)},
	}
}

func stays() []string {
	return []string{
		"Items, sales, bills and ratings stay where they are. Nothing is copied, so nothing has to be moved or compared.",
		"The numbers of items, buyers, categories and shipping models are the same on both sides.",
		"Keys that begin with `dk_live_` or `dk_test_` work on both sides. Old keys of 64 characters work on `/rest` alone and end with it.",
		"Notification settings are [webhooks](/docs/webhooks) with the format `legacy_xml`. They go on after " + day(translate.Sunset) + ", and `/v1` manages them.",
		"What `/rest` looks like until then is written down in [/docs/legacy](/docs/legacy) and, for programs, in [/openapi-rest.json](/openapi-rest.json). " +
			"What changes in `/v1` is announced in [the change log](/changelog).",
	}
}

// setups returns the commands that set the variables of all other commands.
func setups(base string) []Setup {
	key := ` -H "X-Api-Key: $KEY"`
	return []Setup{
		{
			"Take a test key: it sees test items and test sales only, so that you can try everything. `/rest` needs the token, which expires after " +
				strconv.Itoa(translate.SessionMinutes) + " minutes: then run its line again. `/v1` takes the key itself. " +
				"Each `POST` of this guide has an `Idempotency-Key` that ends with `$ACT`: set `ACT` again before you do something anew, and leave it to repeat a " +
				"request whose answer did not arrive.",
			"KEY='dk_test_...'    # your own\n" +
				"TOKEN=$(curl -s " + base + "/rest/seller -d \"apikey=$KEY\" | sed -n 's/.*<token>\\(.*\\)<\\/token>.*/\\1/p')\n" +
				command.SetAct,
		},
		{
			"The commands of the calls name an item on sale, one that ended, and a sale that is not rated yet with its item. These take the first of yours. If you have none, " +
				"[list an item](#item-create) and play its buyer in [the sandbox](/docs/sandbox). The price of such an item can change as long as no buyer has " +
				"bought any of it.",
			"first() { sed -n 's/.*\"results\":\\[{\"id\":\"\\([^\"]*\\)\".*/\\1/p'; }\n" +
				"ITEM=$(curl -s \"" + base + "/v1/items?status=open&sale_type=fixed_price&limit=1\"" + key + " | first)\n" +
				"REFERENCE=$(curl -s \"" + base + "/v1/items/$ITEM\"" + key + " | sed -n 's/.*\"personal_reference\":\"\\([^\"]*\\)\".*/\\1/p')\n" +
				"ENDED=$(curl -s \"" + base + "/v1/items?status=unsold,closed&limit=1\"" + key + " | first)\n" +
				"SALE=$(curl -s \"" + base + "/v1/sales?rating_status=unrated&limit=1\"" + key + " | first)\n" +
				"SOLD=$(curl -s \"" + base + "/v1/sales/$SALE\"" + key + " | sed -n 's/.*\"item_id\":\"\\([0-9]*\\)\".*/\\1/p')",
		},
		{
			"The calls about notifications name a setting. This makes one to try them on; `/rest` has a small number of its own for it.",
			"WEBHOOK=$(curl -s " + base + "/v1/webhooks" + key + " -H \"" + command.KeyHeader + ": try-notifications-$ACT\" -H 'Content-Type: application/json' \\\n" +
				"  -d '{\"url\": \"https://shop.example.com/try\", \"format\": \"legacy_xml\"}' | sed -n 's/.*\"data\":{\"id\":\"\\([^\"]*\\)\".*/\\1/p')\n" +
				"SETTING=$(curl -s " + base + "/rest/notification/settings" + key + " | sed -n 's/.*<id_notification>\\([0-9]*\\)<.*/\\1/p')",
		},
	}
}

func phases(base string) []Phase {
	return []Phase{
		{
			translate.PhaseKeys, "Step 1: your key", "Send the key itself with every call, still on `/rest`, and drop the login.",
			[]string{
				"`/rest` takes the header `X-Api-Key` instead of a token. So change this first, in the one place where your program makes its requests: " +
					"nothing else changes, and the login is gone.",
				"If your key has 64 characters, ask the marketplace for one that begins with `dk_live_`; an account can have several at a time. Ask for a " +
					"`dk_test_` key as well, to try the rest of this guide.",
			},
			nil,
			nil,
		},
		{
			translate.PhaseReading, "Step 2: reading", "Read through `/v1`. Nothing can go wrong, and you can compare.",
			[]string{"Reading changes nothing, so run the old and the new request side by side as long as you like. What your program needs once for all of " +
				"these is a JSON parser and a loop over `data.next_cursor`."},
			readingLoop(base),
			nil,
		},
		{
			translate.PhaseListing, "Step 3: listing", "Put items on sale, change and close them through `/v1`.",
			[]string{
				"The fields keep their meaning and change their names. Give each `POST` an `Idempotency-Key` that you keep until you have the answer: with it a " +
					"repeated request lists nothing twice.",
				"Try it without listing anything: `POST /v1/items?validate_only=true` checks an item and answers all that is wrong with it.",
				"To go back, send the old request again: until " + day(translate.Sunset) + " both interfaces change the same items. But what you do not know to " +
					"have arrived, repeat where you sent it first: " +
					"neither interface knows what the other was sent, and the item would be listed twice.",
			},
			nil,
			nil,
		},
		{
			translate.PhaseSales, "Step 4: sales and bills", "Read sales where you read sold items, and let `/v1` keep your shipping list.",
			[]string{
				"`/rest` shows sold items; `/v1` shows sales, each with its buyer, its address and its bill. A lot that sold in three parts is one item and three sales.",
				"Bills, payments and trackings are [new](#new): a program that kept its own list of what to ship can read `GET /v1/bills?status=to_send` instead. " +
					placesNote(placesOf(v1.BrowseBills.Operation, translate.SoldNames)),
			},
			nil,
			nil,
		},
		{
			translate.PhaseNotifications, "Step 5: from notifications to webhooks", "Receive signed JSON in place of XML in a form field.",
			[]string{
				"Your settings already are webhooks with the format `legacy_xml`, so nothing is urgent here: keep the receiver, and manage it through `/v1`.",
				"When you are ready for JSON, subscribe a second address without `format`, [check the signature](/docs/webhook-security#check-the-signature), and " +
					"delete the old setting when both have sent the same events for a while. " +
					"[What each notification becomes](#notifications) is a table of its own.",
			},
			nil,
			nil,
		},
		{
			translate.PhaseOff, "Step 6: turn it off", "See that nothing calls `/rest` any more, and rehearse the day.",
			[]string{
				fmt.Sprintf("The service counts what your account still does on `/rest`, by call and key, over %d days and today, with the fields that lost "+
					"some of their meaning. When every `data.results[].last_used_at` is older than your last change, you are done.", v1.LegacyUsageDays),
				"Ask with a live key here: it sees the calls of all live keys, old ones of 64 characters included. A test key sees the calls of " +
					"test keys alone.",
				"A program that cannot send the header of a drill is drilled by its key: `POST " + v1.CreateLegacyDrill.Pattern + "` schedules a time in " +
					"which all its calls are answered as from " + day(translate.Sunset) + " on. [How to rehearse the sunset](/docs/legacy-rehearsal).",
			},
			[]Setup{
				{"What is left to move:", `curl "` + base + `/v1/account/legacy-usage" -H "X-Api-Key: $KEY"`},
				{
					"See today what your program will get from " + day(translate.Sunset) + " on: the header `" +
						translate.DrillHeader + "` rehearses it for one request.",
					`curl -i "` + base + `/rest/seller?token=$TOKEN" -H '` + translate.DrillHeader + `: sunset'`,
				},
			},
			nil,
		},
	}
}

// readingLoop returns commands that read a list to its end and compare it with /rest. A test runs them page by page.
func readingLoop(base string) []Setup {
	return []Setup{
		{
			"The loop in PHP. It keeps the numbers of all that is on sale at a fixed price in `now.txt`:",
			`export KEY
php <<'PHP' > now.txt
<?php

/** Yields every entry of a list of /v1, of one page after the other. Throws when the service refuses. */
function entries(string $list, array $filters): Generator
{
    $context = stream_context_create(['http' => [
        'header' => 'X-Api-Key: ' . getenv('KEY'),
        'ignore_errors' => true, // a refusal has a body too
    ]]);
    do {
        $url = '` + base + `/v1/' . $list . '?' . http_build_query($filters);
        $answer = json_decode(file_get_contents($url, false, $context), true, 512, JSON_THROW_ON_ERROR);
        if (isset($answer['errors'])) {
            throw new RuntimeException(implode(', ', array_column($answer['errors'], 'code')));
        }
        yield from $answer['data']['results'];
        $filters['after'] = $answer['data']['next_cursor'];
    } while ($filters['after'] !== null);
}

foreach (entries('items', ['sale_type' => 'fixed_price', 'status' => 'open', 'limit' => 200]) as $item) {
    echo $item['id'], "\n";
}
PHP`,
		},
		{
			"The same list from `/rest`, up to 1000 items, and a comparison of the two:",
			`curl -s "` + base + `/rest/item/fixedprice/opened?numberOfItems=1000" -H "X-Api-Key: $KEY" |
  grep -o '<id_item>[0-9]*' | sed 's/<id_item>//' > before.txt
diff before.txt now.txt && echo 'Both list the same items.'`,
		},
	}
}
