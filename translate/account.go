package translate

import (
	"fmt"

	"sellerd/v1"
)

// This file has the calls about the caller and the service: the session, the account, and reference data.

// Session is the answer to a login.
type Session struct {
	Token string `json:"token"`
}

// ServerTime is the time of the server.
type ServerTime struct {
	Time v1.Time `json:"time"`
}

// Word is one entry of a list of words.
type Word struct {
	Name string `json:"name"`
}

// FormField is a field of a new item.
type FormField struct {
	Name      string `json:"name"`
	Mandatory bool   `json:"mandatory"`
	Meaning   string `json:"meaning"`
}

// openNote is a note on every open call.
const openNote = "The call needs neither key nor token. One that you send must be valid, and the request then counts against its budget."

var accountCalls = []*Call{
	define(Call{
		ID: "login", Title: "Open a session", Method: "POST", Pattern: "/rest/seller",
		Target: local[Session]("/v1 has no sessions.", "Send your key in the X-Api-Key header of every call. /rest takes that header as well, so that a "+
			"program can change this first."),
		Out:      []Row{{Legacy: "token", V1: "token", Dir: Out}},
		Notes:    []string{fmt.Sprintf("A token is valid for %d minutes, and for no longer than the key it was made with.", SessionMinutes)},
		TakesKey: true,
		Never:    []Exception{{[]v1.Code{v1.MissingField, v1.InvalidType}, "a login without one key is refused with " + string(v1.MissingAPIKey)}},
	}, guided(PhaseKeys, Example{Form: []Pair{{"apikey", "$KEY"}}, V1: `curl "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY"`}).
		note("Any operation of `/v1` would do here: the second command reads your account.")),
	define(Call{
		ID: "seller", Title: "Read your account", Method: "GET", Pattern: "/rest/seller", Target: direct(v1.GetAccount.Operation), Successor: true, Element: "seller",
		Out: []Row{
			{Legacy: "id_user", V1: "id", Dir: Out, Convert: Identifier},
			{Legacy: "nickname", V1: "nickname", Dir: Out},
			{Legacy: "email", V1: "email", Dir: Out},
			{Legacy: "type", V1: "type", Dir: Out},
			{Legacy: "country", V1: "country", Dir: Out},
			{Legacy: "language", V1: "language", Dir: Out, Convert: LanguageNames},
			{Legacy: "currency", V1: "currency", Dir: Out},
			{Legacy: "rating_nbr", V1: "rating.count", Dir: Out, Convert: Integer},
			{Legacy: "rating_percentage", V1: "rating.percentage", Dir: Out},
			{Legacy: "date_registration", V1: "created_at", Dir: Out, Convert: LocalTime},
		},
	}, guided(PhaseKeys, Example{})),
	define(Call{
		ID: "server-time", Title: "Ask for the time", Method: "GET", Pattern: "/rest/server/time", Open: true,
		Target: local[ServerTime]("Every answer of /v1 carries the time.", "Read the header `Date`."),
		Out:    []Row{{Legacy: "time", V1: "time", Dir: Out, Convert: LocalTime}},
		Notes: []string{
			openNote,
			"The time is a date in Brussels and not a Unix timestamp. Programs of /rest read the date, which it has answered since its first release. A program " +
				"that needs seconds takes the header `Date`.",
		},
	}, guided(PhaseKeys, Example{V1: `curl -s -D - -o /dev/null "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY" | grep -i '^date:'`})),
}

var referenceCalls = []*Call{
	define(Call{
		ID: "close-reasons", Title: "List the reasons to take an item off sale", Method: "GET", Pattern: "/rest/item/closeReasons", Open: true,
		Target:  local[Word]("It is an enumeration, and the reference names its values.", "See `reason` of POST /v1/items/{id}/close in the OpenAPI document."),
		Element: "reason",
		Out:     []Row{{Legacy: "name", V1: "name", Dir: Out}},
		Notes:   []string{openNote},
	}, guided(PhaseReading, Example{V1: `curl "{base}/openapi.json"`}).
		later(2).
		note("In this guide: [the reasons](#values-close-reason).")),
	define(Call{
		ID: "fields", Title: "List the fields of an item", Method: "GET", Pattern: "/rest/item/fields/{sale_type}", Open: true,
		Target:  local[FormField]("The reference describes every field.", "See POST /v1/items in the OpenAPI document."),
		Element: "field",
		Out: []Row{
			{Legacy: "name", V1: "name", Dir: Out},
			{Legacy: "mandatory", V1: "mandatory", Dir: Out, Convert: Boolean},
			{Legacy: "meaning", V1: "meaning", Dir: Out},
		},
		Notes:   []string{openNote, "sale_type in the path is auction or fixedprice."},
		Refuses: []v1.Code{v1.RouteNotFound},
	}, guided(PhaseReading, Example{Path: map[string]string{"sale_type": "auction"}, V1: `curl "{base}/openapi.json"`}).
		later(1).
		note("In this guide: [the fields of a new item](#item-create).")),
	define(Call{
		ID: "categories", Title: "List categories", Method: "GET", Pattern: "/rest/category", Target: direct(v1.BrowseCategories.Operation), Element: "category",
		In: []Row{
			{Legacy: "language", V1: "@Accept-Language", Dir: In, Convert: LanguageLetters},
			{Legacy: "lang", V1: "@Accept-Language", Dir: In, Convert: LanguageLetters, Unless: "language", Doc: "another name of language"},
			{Legacy: "idParent", V1: "?parent_id", Dir: In, Convert: Identifier, Zero: Always, Doc: "0 for the roots", Caution: noCategory0},
			{Legacy: "showOnlyLeaves", V1: "?leaves_only", Dir: In, Convert: Boolean},
		},
		Out: []Row{
			{Legacy: "id", V1: "id", Dir: Out, Convert: Identifier},
			{Legacy: "id_site", Dir: Out, Loss: Loss{Synthesised, "It never meant anything, and is empty."}},
			{Legacy: "name", V1: "name", Dir: Out},
			{Legacy: "id_parent", V1: "parent_id", Dir: Out, Convert: Identifier, Default: "0", Doc: "0 for a root, which has none"},
			{Legacy: "child", V1: "has_children", Dir: Out, Convert: Boolean},
			{Legacy: "selectable", V1: "selectable", Dir: Out, Convert: Boolean},
			{Legacy: "parent_path", V1: "path[].id", Dir: Out, Convert: PathNumbers},
			{Legacy: "parent_path_verbose", V1: "path[].name", Dir: Out, Convert: PathNames},
		},
		Notes: []string{
			"Without idParent all categories are answered; /v1 does so too, 1000 a page.",
			"idParent 0 stands for the parent of the roots. With showOnlyLeaves it answers all leaves.",
		},
	}, guided(PhaseReading, Example{Form: []Pair{{"language", "F"}, {"idParent", "-1"}, {"showOnlyLeaves", "1"}}})),
	define(Call{
		ID: "shipping-models", Title: "List your shipping models", Method: "GET", Pattern: "/rest/shippingModels", Target: direct(v1.BrowseShippingModels.Operation),
		Element: "shippingModel",
		Out: []Row{
			{Legacy: "id", V1: "id", Dir: Out, Convert: Identifier},
			{Legacy: "name", V1: "name", Dir: Out},
			{Legacy: "type", V1: "type", Dir: Out},
			{Legacy: "currency", V1: "currency", Dir: Out},
			{Legacy: "is_default", V1: "is_default", Dir: Out, Convert: Boolean},
		},
		Notes: []string{
			"Models that are retired are in the list as well, since items that have one keep it. /rest cannot tell them apart: /v1 does, with the member `retired`.",
			"/v1 also shows zones and rates.",
		},
	}, guided(PhaseReading, Example{})),
}

// noCategory0 is about the parent of the roots.
var noCategory0 = Caution{IsZero, "/v1 has no category 0. Without parent_id it lists all categories: the roots are those with level 0."}

// LanguageLetters are the letters by which /rest names languages. It also reads the names that it shows for sellers and buyers.
var LanguageLetters = enumeration("language's letter", "A language by a letter for its ISO 639-1 code; without one it is English. The English names that /rest "+
	"shows for sellers and buyers are understood as well.", append([][2]string{
	{"E", "en"}, {"F", "fr"}, {"I", "it"}, {"S", "es"}, {"G", "de"}, {"N", "nl"}, {"D", "de"},
}, LanguageNames.Pairs...)...)
