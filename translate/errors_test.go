package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

// ErrorTexts are what old programs read of errors of /v1.
var ErrorTexts = []struct {
	Call string
	Err  v1.Error
	Want string
}{
	{"item", v1.Error{Code: v1.ItemNotFound, Message: "m"}, "You are not the owner of this item!"},
	{"item-close", v1.Error{Code: v1.ItemHasBids, Message: "m"}, "There is already a bid on this item!"},
	{"item-update", v1.Error{Code: v1.ItemPartiallySold, Message: "m"}, "This item is already sold!"},
	{"item-close", v1.Error{Code: v1.ItemNotOpen, Message: "m", Details: status(v1.ItemSold)}, "This item is already sold!"},
	{"item-close", v1.Error{Code: v1.ItemNotOpen, Message: "The item is closed.", Details: status(v1.ItemClosed)}, "The item is closed."},
	{"item-update", v1.Error{Code: v1.ItemNotEditable, Message: "m", Details: status(v1.ItemSold)}, "This item is already sold!"},
	{"item-update", v1.Error{Code: v1.ItemNotEditable, Message: "The item has ended.", Details: status(v1.ItemUnsold)}, "The item has ended."},
	{"item-restart", v1.Error{Code: v1.ItemNotRestartable, Message: "m", Details: status(v1.ItemSold)}, "This item is already sold!"},
	{"item-restart", v1.Error{Code: v1.ItemNotRestartable, Message: "The item is on sale.", Details: status(v1.ItemOpen)}, "The item is on sale."},
	{"notification-test", v1.Error{Code: v1.UnknownEvent, Field: "event", Message: "m"}, "The asked destination type is not valid!"},
	{"notification-add", v1.Error{Code: v1.InvalidValue, Field: "notificationType", Message: "m"}, "The asked destination type is not valid!"},
	{"notification-add", v1.Error{Code: v1.InvalidValue, Field: "url", Message: "is not an address"}, "destination: is not an address"},
	{"notification-add", v1.Error{Code: v1.InvalidWebhookURL, Field: "url", Message: "m"}, "The asked destination seems to be invalid!"},
	{"email-notification", v1.Error{Code: v1.InvalidValue, Field: "notificationType", Message: "There are none."}, "There are none."},
	{"email-notification", v1.Error{Code: v1.MissingAPIKey, Field: "token", Message: "Send the token of a login."}, "token: Send the token of a login."},
	{"item-create", v1.Error{Code: v1.OutOfRange, Field: "starting_price.amount", Message: "is too small"}, "price_starting: is too small"},
}

func status(s string) map[string]any { return map[string]any{"status": s} }

func TestErrorsAreAboutTheFieldsThatTheCallerSent(t *testing.T) {
	table := NewTable(t)
	for _, test := range []struct{ call, field, want string }{
		{"item-create", "starting_price", "price_starting"},
		{"item-create", "starting_price.amount", "price_starting"},
		{"item-create", "starting_price.currency", "currency"},
		{"item-create", "images[2].url", "images[2]"},
		{"item-create", "images[2]", "images[2]"},
		{"item-create", "images", "images"},
		{"item-create", "sale_type", "price_starting or fixed_price"},
		{"item-create", "options.subtitle", "option_subtitle"},
		{"item-create", "preferred_end_time", "prefered_end_hour"},
		{"item-create", "weight_grams", "weight_grams"}, // the legacy interface has none
		{"item-create", "Idempotency-Key", "Idempotency-Key"},
		{"item-create", "", ""},
		{"item-bulk", "items[3].title", "items[3][title]"},
		{"item-bulk", "items[3].price.amount", "items[3][fixed_price]"},
		{"item-bulk", "items[3].images[2].url", "items[3][images][2]"},
		{"item-bulk", "items[3]", "items[3]"},
		{"item-bulk", "items[3][title]", "items[3][title]"},
		{"item-bulk", "items", "items"},
		{"item-update", "id", "id_item"},
		{"item-by-reference", "personal_reference", "personal_reference"},
		{"item-buyer", "item_id", "id_item"},
		{"item-feedback", "item_id", "id_item"},
		{"item-feedback", "score", "feedback"},
		{"categories", "parent_id", "idParent"},
		{"categories", "Accept-Language", "language"},
		{"notification-add", "url", "destination"},
		{"notification-add", "events[0]", "notificationType[0]"},
	} {
		if got := table.Lookup(test.call).LegacyField(test.field); got != test.want {
			t.Errorf("%s calls %q %q, not %q", test.call, test.field, got, test.want)
		}
	}
}

func TestEveryRowsFieldIsKnownByItsLegacyName(t *testing.T) {
	for _, p := range NewTable(t).Plans {
		for i := range p.in {
			row := &p.in[i]
			if row.Legacy == "" || row.V1 == "" || slices.ContainsFunc(p.in[:i], func(other inRow) bool { return other.V1 == row.V1 && row.Unless == other.Legacy }) {
				continue // the last one is another name of a field, whose errors name its usual one
			}
			places := row.beside
			if !row.Beside {
				places = []place{row.place}
			}
			for _, at := range places {
				field, want := strings.Join(at.path, "."), row.Legacy
				if p.Each != "" && at.where == '.' {
					field, want = p.Each+"[3]."+field, p.Each+"[3]["+want+"]"
				}
				if got := p.LegacyField(field); got != want {
					t.Errorf("%s calls %s %s, not %s", p.ID, field, got, want)
				}
			}
		}
	}
}

func TestACurrencyIsNotBlamedForARefusedPrice(t *testing.T) {
	plan := NewTable(t).Lookup("item-update")
	for price, want := range map[string][]string{
		"12,50": nil,
		"":      {"currency: Nothing came with it that it could belong to."},
		"12.50": nil,
	} {
		fields := Fields{{Name: "currency", Text: "EUR"}}
		if price != "" {
			fields = append(Fields{{Name: "fixed_price", Text: price}}, fields...)
		}
		r, errs := plan.Decode(map[string]string{"id_item": "4711"}, fields)
		if refused := price == "12,50"; refused != (len(errs) == 1) {
			t.Errorf("%q: %v", price, errs)
		}
		var got []string
		for _, note := range r.Notes {
			got = append(got, note.Field+": "+note.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", price, diff)
		}
	}
}

func TestEveryCodeOfV1HasALegacyAnswer(t *testing.T) {
	plans := append(slices.Clone(NewTable(t).Plans), nil) // before a call is found there is none
	for _, info := range v1.ErrorCatalogue {
		for _, p := range plans {
			for _, field := range []string{"", "title"} {
				e := v1.Error{Code: info.Code, Field: field, Message: info.Meaning}
				if p.ErrorText(&e) == "" {
					t.Errorf("%s has no text", info.Code)
				}
				xml := string(p.AppendError(nil, v1.Errors{e}))
				if !strings.Contains(xml, "<status>false</status><errorMsg>") || !strings.Contains(xml, "</errorMsg><errorCode>"+string(info.Code)+"</errorCode>") {
					t.Errorf("%s is answered %s", info.Code, xml)
				}
			}
		}
	}
}

func TestEveryErrorRowIsOfACodeThatThereIs(t *testing.T) {
	for _, row := range ErrorRows {
		if _, ok := v1.LookupError(row.Code); !ok {
			t.Errorf("there is no code %s", row.Code)
		}
	}
}

func TestRefusalsNameTheOperationThatTookTheCallsPlace(t *testing.T) {
	table := NewTable(t)
	errs := v1.Errors{{Code: v1.TooLong, Field: "title", Message: "is <too> long"}, {Code: v1.MissingField, Field: "price", Message: "is required"}}
	const refusal = "<status>false</status><errorMsg>title: is &lt;too&gt; long; fixed_price: is required</errorMsg><errorCode>too_long</errorCode>"
	for call, want := range map[string]string{
		"item-create": refusal + "<replacement>POST /v1/items</replacement>",
		"item-buyer": "<status>false</status><errorMsg>title: is &lt;too&gt; long; price: is " +
			"required</errorMsg><errorCode>too_long</errorCode><replacement>GET /v1/sales</replacement>",
		"login": "<status>false</status><errorMsg>title: is &lt;too&gt; long; price: is required</errorMsg><errorCode>too_long</errorCode>",
	} {
		if diff := cmp.Diff(want, string(table.Lookup(call).AppendError(nil, errs))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
}
