package translate

import (
	"slices"
	"strings"
)

// This file shows the calls about the account, reference data and notifications.

var (
	loginSamples        = []Sample{{Name: "with a key", Form: "apikey=dk_live_example"}}
	sellerSamples       = []Sample{{Name: "the account", Form: "token=example", V1: []string{"GET /v1/account"}}}
	serverTimeSamples   = []Sample{{Name: "the time"}}
	closeReasonsSamples = []Sample{{Name: "the reasons"}}
	fieldsSamples       = []Sample{
		{Name: "of auctions", Path: map[string]string{"sale_type": "auction"}},
		{Name: "of sales at a fixed price", Path: map[string]string{"sale_type": "fixedprice"}},
	}

	categoriesSamples = slices.Concat([]Sample{
		{Name: "all of them", V1: []string{"GET /v1/categories"}},
		{
			Name: "the leaves of a branch", Form: "language=F&idParent=010&showOnlyLeaves=1",
			V1: []string{"GET /v1/categories?parent_id=10&leaves_only=true", "Accept-Language: fr"},
		},
		{Name: "the roots", Form: "idParent=0", V1: []string{"GET /v1/categories"}, Note: []string{"idParent narrowed"}},
		{Name: "a switch that is sent empty", Form: "showOnlyLeaves=", V1: []string{"GET /v1/categories?leaves_only=false"}},
		{Name: "an unknown language", Form: "language=X", V1: []string{"422 invalid_value language"}},
	}, eachValue("language", nil, "language=%s", []string{"GET /v1/categories", "Accept-Language: %s"}, "E en", "F fr", "I it", "S es", "G de", "N nl", "D de",
		"English en", "French fr", "German de", "Italian it", "Spanish es", "Dutch nl"), []Sample{
		{Name: "a language by its other name", Form: "lang=F", V1: []string{"GET /v1/categories", "Accept-Language: fr"}},
		{Name: "a language by both names", Form: "lang=F&language=N", V1: []string{"GET /v1/categories", "Accept-Language: nl"}, Note: []string{"lang dropped"}},
	})

	shippingModelsSamples = []Sample{{Name: "all of them", V1: []string{"GET /v1/shipping-models"}}}
)

var setting1001 = map[string]string{"id_notification": "1001"}

// eventOf is the event of each type of notification.
var eventOf = []string{
	"Curl_Seller_Item_Add item.published", "Curl_Seller_Item_Add_Error_Image item.rejected", "Curl_Seller_Item_Update item.updated",
	"Curl_Seller_Item_FirstBid item.first_bid", "Curl_Seller_Item_Close_Sold item.sold", "Curl_Seller_Item_Close_Unsold item.unsold",
	"Curl_Seller_Item_Close_Manually item.closed", "Curl_Seller_Item_Move item.moved",
}

// typesAsRead returns types as lists of settings show them.
func typesAsRead(pairs []string) (read []string) {
	for _, pair := range pairs {
		read = append(read, strings.TrimPrefix(pair, "Curl_"))
	}
	return read
}

var (
	notificationTypesSamples = []Sample{{Name: "all types"}}
	notificationListSamples  = []Sample{{Name: "all settings", V1: []string{"GET /v1/webhooks"}}}
	notificationAddSamples   = slices.Concat([]Sample{
		{
			Name: "two types at once",
			Form: "notificationType[]=Curl_Seller_Item_Add&notificationType[]=Curl_Seller_Item_Close_Sold&destination=https://shop.example.com/in?token%3Dabc",
			V1:   []string{"POST /v1/webhooks", `{"events":["item.published","item.sold"],"url":"https://shop.example.com/in?token=abc","format":"legacy_xml"}`},
			Note: []string{"format synthesised"},
		},
		{
			Name: "a destination at an http address", Form: "notificationType=Curl_Default&destination=HTTP://shop.example.com/in",
			V1:   []string{"POST /v1/webhooks", `{"events":["*"],"url":"HTTP://shop.example.com/in","format":"legacy_xml"}`},
			Note: []string{"format synthesised", "destination narrowed"},
		},
		{Name: "neither type nor destination", V1: []string{"422 missing_field notificationType", "422 missing_field destination"}},
		{
			Name: "a type that never was one", Form: "notificationType=Curl_Nothing&destination=https://shop.example.com/in",
			V1: []string{"422 invalid_value notificationType"},
		},
	}, noting("format synthesised", eachValue("", nil, "notificationType=%s&destination=https://shop.example.com/in",
		[]string{"POST /v1/webhooks", `{"events":["%s"],"url":"https://shop.example.com/in","format":"legacy_xml"}`}, append(eventOf, "Curl_Default *")...)),
		noting("format synthesised", eachValue("", nil, "notificationType=%s&destination=https://shop.example.com/other",
			[]string{"POST /v1/webhooks", `{"events":["%s"],"url":"https://shop.example.com/other","format":"legacy_xml"}`},
			typesAsRead(append(eventOf, "Curl_Default *"))...)))

	emailNotificationSamples = []Sample{
		{Name: "a type that is gone", Form: "notificationType=Email_Seller_Item_Add&destination=seller@example.com", V1: []string{"422 invalid_value notificationType"}},
	}

	notificationSwitchSamples = []Sample{
		{Name: "a setting", Path: setting1001, V1: []string{"GET /v1/webhooks", "PATCH /v1/webhooks/{webhook_id}", `{"status":"{other_status}"}`}},
	}

	notificationDeleteSamples = []Sample{
		{Name: "a setting", Path: setting1001, V1: []string{"GET /v1/webhooks", "DELETE /v1/webhooks/{webhook_id}"}},
	}

	notificationTestSamples = slices.Concat([]Sample{
		{Name: "no type", V1: []string{"422 missing_field notificationType"}},
		{Name: "a type that never was one", Form: "notificationType=Curl_Nothing", V1: []string{"422 invalid_value notificationType"}},
	}, eachValue("", nil, "notificationType=%s", []string{"GET /v1/webhooks", "POST /v1/webhooks/{webhook_id}/test", `{"event":"%s"}`},
		append(append(eventOf, "Curl_Default item.published"), typesAsRead(append(eventOf, "Curl_Default item.published"))...)...))
)

// noting is samples that come with a note.
func noting(note string, samples []Sample) []Sample {
	for i := range samples {
		samples[i].Note = append(samples[i].Note, note)
	}
	return samples
}
