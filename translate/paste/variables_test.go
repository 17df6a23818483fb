package paste

import (
	"strings"
	"testing"

	"sellerd/translate/command"
)

// TestAVariableNeverHasANameOfTheCommands has variables with long names, and with names that printed commands have for the key, the act and
// what a step finds: the command would publish the key as a title.
func TestAVariableNeverHasANameOfTheCommands(t *testing.T) {
	table := newTable(t)
	const (
		item = "https://rest.delcampe.net/item/"
		php  = "<?php\n$ch = curl_init('" + item + "1');\ncurl_setopt($ch, CURLOPT_CUSTOMREQUEST, 'PUT');\ncurl_setopt($ch, CURLOPT_POSTFIELDS, "
	)
	cs := func(fields string) string {
		return `await new HttpClient().PutAsync("` + item + `1", new FormUrlEncodedContent(new Dictionary<string, string> { ` + fields + ` }));` + "\n"
	}
	for name, test := range map[string]struct{ request, want string }{
		"curl":                     {"curl -X PUT " + item + `1 -d "title=$DESCRIPTION_OF_THE_ITEM_FOR_THE_MARKETPLACE_EN"`, "$DESCRIPTION_OF_THE_ITEM_FOR_THE_MARKETPLACE_EN"},
		"a path":                   {"curl -X DELETE " + item + "$NUMBER_OF_THE_ITEM_ON_THE_MARKETPLACE -d reason=TestItem", "$NUMBER_OF_THE_ITEM_ON_THE_MARKETPLACE"},
		"PHP":                      {php + "['title' => $descriptionWithShippingConditions]);", "$descriptionWithShippingConditions"},
		"a subscript":              {php + `['title' => $row["titleForMarketplaceEnglishUTF8"]]);`, "$row_titleForMarketplaceEnglishUTF8"},
		"a method of C#":           {cs(`["title"] = title`) + cs(`["title"] = title.ToUpper(CultureInfo.InvariantCulture)`), "$title_ToUpper_CultureInfo"},
		"a format of C#":           {cs(`["fixed_price"] = price`) + cs(`["fixed_price"] = price.ToString("0.00", CultureInfo.InvariantCulture)`), "$price_ToString_0_00"},
		"a calculation in Python":  {"requests.put('" + item + "1', data={'fixed_price': price})\nrequests.put('" + item + "1', data={'fixed_price': str(price.quantize(Decimal('0.01'), rounding=ROUND_HALF_UP))})", "$price_quantize"},
		"a path of Python":         {"requests.delete('" + item + "%s' % identification_of_the_item_in_marketplace, data={'reason': 'TestItem'})", "$identification_of_the_item_in_marketplac"},
		"JavaScript":               {"fetch('" + item + "1', {method: 'PUT', body: new URLSearchParams({title: descriptionWithShippingConditions})})", "$descriptionWithShippingConditions"},
		"a value called KEY":       {"curl -X PUT " + item + `1 -d "title=$KEY" -d "apikey=$KEY"`, "$KEY_2"},
		"a value called key":       {"curl -X PUT " + item + `1 -d "title=$key"`, "$key_2"},
		"a value called ACT":       {"requests.put('" + item + "1', data={'title': ACT})", "$ACT_2"},
		"a value called SALE_ID":   {"curl -X POST " + item + `$SALE_ID/feedback -d ratingValue=1 -d "feedback=$SALE_ID_2"`, "$SALE_ID_2"},
		"two names with one start": {"curl -X PUT " + item + `1 -d "title=$titleInTheYear2024ForTheMarketplace" -d "description=$titleInTheYear2025ForTheMarketplace"`, "$titleInT_2"},
		"a key":                    {"curl -X PUT " + item + `1 -d "title=$dk_live_WvQ3xT7nZk2LrB8yPd5FhJ9c"`, "$removed"},
		"an old key":               {"curl -X PUT " + item + `1 -d "title=$a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8"`, "$a1b2c3d4"},
	} {
		for _, shell := range []command.Shell{command.Sh, command.PowerShell, command.Cmd} {
			t.Run(name+", "+string(shell), func(t *testing.T) {
				out, err := Translate(table, Input{Request: test.request, BaseURL: base, Shell: shell})
				if err != nil {
					t.Fatal(err)
				}
				printed, want := out.Curl.V, test.want
				for _, call := range out.Calls[min(1, len(out.Calls)):] {
					printed += "\n" + call.Curl.V
				}
				own := map[command.Shell]string{command.Sh: "$KEY", command.PowerShell: "$env:KEY", command.Cmd: "%KEY%"}[shell]
				want = strings.TrimSuffix(strings.Replace(own, "KEY", want[1:], 1), "%")
				if !strings.Contains(printed, want) || strings.Contains(printed, "a1b2c3d4e") {
					t.Errorf("it has no %s:\n%s", want, printed)
				}
				calls := strings.Count(strings.ToLower(printed), "x-api-key")
				if got := strings.Count(strings.ToLower(printed), strings.ToLower(own)) - strings.Count(strings.ToLower(printed), strings.ToLower(own)+"_2"); got != calls {
					t.Errorf("it has the key %d times and not %d:\n%s", got, calls, printed)
				}
			})
		}
	}
}

// TestAVariableIsNotWhatAStepFinds has a variable with the name of what the step before finds, which gets another one.
func TestAVariableIsNotWhatAStepFinds(t *testing.T) {
	for request, want := range map[string][]string{
		"curl https://rest.delcampe.net/item/auction/sold -G -d startingItem=0 -d numberOfItems=5":                        {"ITEM_ID"},
		"curl -X POST 'https://rest.delcampe.net/item/'$id/feedback -d ratingValue=1 -d feedback=$SALE_ID":                {"SALE_ID", "SALE_ID_2"},
		"curl -X POST 'https://rest.delcampe.net/item/'$id/feedback -d ratingValue=1 -d \"feedback=$sale_id $SALE_ID_2\"": {"sale_id", "SALE_ID_2", "SALE_ID_2_2"},
	} {
		out, err := Translate(newTable(t), Input{Request: request, BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range want {
			if !strings.Contains(out.Curl.V, `"$`+name+`"`) {
				t.Errorf("%s has no $%s:\n%s", request, name, out.Curl.V)
			}
		}
		if last := want[len(want)-1]; !strings.HasSuffix(out.Steps[1].Purpose, "; "+last+" follows from the step before") {
			t.Errorf("%s says %q", request, out.Steps[1].Purpose)
		}
	}
}
