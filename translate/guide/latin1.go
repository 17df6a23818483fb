package guide

import (
	"fmt"

	"sellerd/v1"
)

// This file has the section for programs whose texts are in Latin-1. A test runs its commands.

func latin1(base string) Section {
	return Section{
		Text: []string{
			fmt.Sprintf("`/v1` reads and writes UTF-8. A JSON body with other bytes is rejected with 400 `%s`, so convert every text before you make JSON of it. "+
				"In a query, encode the bytes of UTF-8: `é` is `%%C3%%A9`, and not `%%E9`.", v1.MalformedJSON),
			"`/rest` also reads forms in ISO-8859-1 and Windows-1252, if `Content-Type` says so: `application/x-www-form-urlencoded; charset=windows-1252`. " +
				"Under both names it reads Windows-1252, which has all letters of ISO-8859-1, and `€` in addition.",
			fmt.Sprintf("Without `charset`, `/rest` reads a form as UTF-8, and rejects a field with other bytes with 422 `%s`. Fields in the query are UTF-8 "+
				"in any case, so send texts in the body.", v1.InvalidValue),
			"All answers, events and notifications are UTF-8, on both sides. A program that works in Windows-1252 converts what it reads, too. Buyers have names " +
				"and addresses with characters that Windows-1252 does not have: PHP replaces these with `iconv('UTF-8', 'WINDOWS-1252//TRANSLIT', $text)`.",
		},
		Setup: []Setup{
			{"A title as an old program holds it, where the byte E9 is `é`:", `TITLE=$(printf 'Caf\351 de Flore')`},
			{
				"The old request with its character set. It gives this title to your item:",
				`curl -X PUT "` + base + `/rest/item/$ITEM?token=$TOKEN" \
  -H 'Content-Type: application/x-www-form-urlencoded; charset=windows-1252' \
  --data-urlencode "title=$TITLE"`,
			},
			{
				"The new request, made by PHP. Its `json_encode` fails for text that is not UTF-8, so convert first:",
				`php -r '
    $title = iconv("WINDOWS-1252", "UTF-8", $argv[1]);
    echo json_encode(["title" => $title], JSON_THROW_ON_ERROR);' "$TITLE" |
  curl -X PATCH "` + base + `/v1/items/$ITEM" \
    -H "X-Api-Key: $KEY" \
    -H 'Content-Type: application/json' \
    -d @-`,
			},
		},
	}
}
