package translate

import "sellerd/v1"

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

var accountCalls = []*Call{
	define(Call{
		ID: "login", Title: "Open a session", Method: "POST", Pattern: "/rest/seller",
		Target:   local[Session](),
		Out:      []Row{{Legacy: "token", V1: "token", Dir: Out}},
		TakesKey: true,
		Never:    []Exception{{[]v1.Code{v1.MissingField, v1.InvalidType}, "a login without one key is refused with " + string(v1.MissingAPIKey)}},
		Guide:    Guidance{Phase: PhaseKeys},
	}),
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
		Guide: Guidance{Phase: PhaseKeys},
	}),
	define(Call{
		ID: "server-time", Title: "Ask for the time", Method: "GET", Pattern: "/rest/server/time", Open: true,
		Target: local[ServerTime](),
		Out:    []Row{{Legacy: "time", V1: "time", Dir: Out, Convert: LocalTime}},
		Guide:  Guidance{Phase: PhaseKeys},
	}),
}

var referenceCalls = []*Call{
	define(Call{
		ID: "close-reasons", Title: "List the reasons to take an item off sale", Method: "GET", Pattern: "/rest/item/closeReasons", Open: true,
		Target:  local[Word](),
		Element: "reason",
		Out:     []Row{{Legacy: "name", V1: "name", Dir: Out}},
		Guide:   Guidance{Phase: PhaseReading, Later: 2},
	}),
	define(Call{
		ID: "fields", Title: "List the fields of an item", Method: "GET", Pattern: "/rest/item/fields/{sale_type}", Open: true,
		Target:  local[FormField](),
		Element: "field",
		Out: []Row{
			{Legacy: "name", V1: "name", Dir: Out},
			{Legacy: "mandatory", V1: "mandatory", Dir: Out, Convert: Boolean},
			{Legacy: "meaning", V1: "meaning", Dir: Out},
		},
		Refuses: []v1.Code{v1.RouteNotFound},
		Guide:   Guidance{Phase: PhaseReading, Later: 1},
	}),
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
		Guide: Guidance{Phase: PhaseReading},
	}),
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
		Guide: Guidance{Phase: PhaseReading},
	}),
}

// noCategory0 is about the parent of the roots.
var noCategory0 = Caution{IsZero, "/v1 has no category 0. Without parent_id it lists all categories: the roots are those with level 0."}

// LanguageLetters are the letters by which /rest names languages. It also reads the names that it shows for sellers and buyers.
var LanguageLetters = enumeration("language's letter", "A language by a letter for its ISO 639-1 code; without one it is English. The English names that /rest "+
	"shows for sellers and buyers are understood as well.", append([][2]string{
	{"E", "en"}, {"F", "fr"}, {"I", "it"}, {"S", "es"}, {"G", "de"}, {"N", "nl"}, {"D", "de"},
}, LanguageNames.Pairs...)...)
