package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the first element of every import path here.
const module = "sellerd/"

// arrow says what a folder, with everything below it, may import from this module. Its own folder it may import anyway. A
// folder below another that has a line of its own is a room: it belongs to no other folder, and a package that imports it names it.
type arrow struct {
	from string
	to   []string
	why  string
}

// The program: the most specific folder comes first. A package that matches no line fails the test, so that a new one
// gets its line, and with it a thought about where it belongs.
var arrows = []arrow{
	{
		"cmd/sellerd",
		[]string{"internal/command", "internal/command/checks", "internal/command/database", "internal/command/operator", "internal/command/seller", "internal/command/serve", "internal/store/migrations", "v1"},
		"the table of its commands; of the database it knows the version of the schema that it was built with",
	},
	{
		"internal/command/seller",
		[]string{"internal/command", "internal/apiclient", "internal/bridge/command", "internal/demo", "internal/exporting", "internal/importing", "internal/mcp", "internal/sheet", "translate", "translate/command", "translate/paste", "translate/scan", "v1/refusal", "v1/wire"},
		"calls the service over HTTP or reads files, so it knows neither the service nor the database",
	},
	{"internal/command/checks", []string{"internal/command", "conformance", "v1/client"}, "replays what was promised over HTTP; knows neither the service nor the database"},
	{"internal/command/operator", []string{"internal/base/pattern", "internal/command", "internal/command/database", "translate", "translate/letter", "v1"}, "has the service do what an operator asks; what it knows of the database is its flag"},
	{"internal/command/demoseller", []string{"internal/command", "internal/demo", "translate", "v1"}, "sells by the service's own operations"},
	{
		"internal/command/serve",
		[]string{"internal/base/certificate", "internal/command", "internal/command/database", "internal/command/demoseller", "internal/base/tracing", "internal/downloads", "internal/opentelemetry", "internal/server", "internal/store", "internal/store/standby", "v1"},
		"wires the parts of the server together; of the store it knows its counts",
	},
	{"internal/command/database", []string{"internal/command", "internal/store", "internal/store/copying", "v1", "v1/core"}, "opens databases, and words what is wrong with them"},
	{"internal/command", []string{"internal/base/pattern", "internal/base/address", "internal/base/httplog", "internal/base/signals"}, "command lines, whatever the commands do"},
	{"cmd/seller", []string{"internal/command", "internal/command/seller", "v1"}, "the table of its commands; it has no database"},
	{"internal/bridge/command", []string{"internal/bridge", "internal/base/address", "internal/base/httplog", "v1"}, "the command line of the bridge, for both programs"},
	{"internal/apiclient", []string{"v1/client"}, "what commands add to a seller's client"},
	{"internal/base/address", nil, "addresses of services, whoever calls them"},
	{"internal/base/certificate", []string{"internal/base/pause"}, "TLS, whoever speaks by it"},
	{"internal/base/filelock", nil, "locks between processes, whatever they are for"},
	{"internal/base/pause", nil, "waits, whatever for"},
	{"internal/base/tracing", nil, "names for what is recorded, whoever records it"},
	{"internal/opentelemetry", []string{"internal/base/pause", "internal/base/tracing"}, "records spans, whatever they are of"},
	{"internal/base/signals", nil, "which signals end a program, whatever it does"},
	{"internal/sheet", []string{"internal/base/pattern"}, "reads rows, whatever they mean"},
	{"internal/importing", []string{"internal/base/filelock", "internal/base/near", "internal/base/pattern", "internal/apiclient", "internal/sheet", "v1/markup"}, "calls the service over HTTP as any client does, so it knows neither the service nor the database"},
	{"internal/exporting", []string{"internal/apiclient", "internal/sheet"}, "calls the service over HTTP as any client does, so it knows neither the service nor the database"},
	{
		"internal/bridge",
		[]string{"internal/base/pattern", "legacy", "translate", "internal/base/httplog", "internal/base/turns", "v1", "v1/apikey", "v1/client", "v1/refusal", "v1/wire"},
		"serves /rest by requests over HTTP, so it knows neither the service nor the database",
	},
	{
		"internal/mcp",
		[]string{"internal/base/pattern", "internal/base/openjson", "translate", "translate/guide", "translate/paste", "v1", "v1/apikey", "v1/client", "v1/openapi"},
		"calls the service over HTTP as any client does, so it knows neither the service nor the database",
	},
	{"internal/server", []string{
		"internal/base/each", "v1", "v1/client", "v1/etag", "v1/openapi", "legacy", "translate", "translate/guide", "translate/paste", "translate/openapi", "translate/command",
		"changelog", "docs", "internal/demo", "internal/base/certificate", "internal/base/httplog", "internal/base/pattern", "internal/base/tracing", "internal/base/weigh", "internal/operatorpages", "internal/reference",
		"internal/site", "internal/downloads", "internal/languages",
	}, "mounts; reads nothing itself, so never ent; tags what it compresses"},
	{"internal/downloads/dist", []string{"internal/downloads"}, "builds programs, and knows only their names"},
	{"internal/downloads", nil, "a folder of files, whatever the programs in it do"},
	{"internal/operatorpages", []string{"v1"}, "shows operators what the service reads; knows neither the database nor the mounts"},
	{"internal/languages", []string{"internal/base/pattern", "internal/base/phrases", "v1/refusal"}, "puts finished pages into other languages, whatever they say"},
	{"internal/base/phrases", []string{"internal/base/pattern"}, "texts with translations and days, whoever says them"},
	{"internal/site", []string{"internal/base/pattern", "docs"}, "the pages in their order, whatever the service does"},
	{"internal/store/migratediff", []string{"ent/migrate", "internal/proof/pgtest"}, "writes migrations on throw-away databases"},
	{"internal/store/copying", []string{"internal/base/each", "internal/store", "internal/store/sqlite3", "internal/base/crash"}, "rows as they are, whatever they mean"},
	{"internal/store/standby", []string{
		"internal/store/connect", "internal/store/fault", "internal/store/lending", "ent", "internal/base/combine", "internal/base/pause",
	}, "knows its primary by five methods; reads that wait share a question to it"},
	{"internal/store/writer", []string{"internal/store/fault", "internal/store/lending", "ent", "internal/base/crash"}, "takes turns on one connection, whatever opened it"},
	{"internal/store/migrations", []string{"internal/store/connect", "internal/base/pause"}, "changes tables, before anybody reads them; its lock knows poolers"},
	{"internal/store/lending", []string{"ent"}, "clients of transactions, whatever database they are of"},
	{"internal/store/fault", []string{"internal/store/connect", "internal/store/sqlite3"}, "errors of drivers, whatever they were asked"},
	{"internal/store/connect", []string{"internal/base/pause"}, "connections, whatever is sent over them"},
	{"internal/store/sqlite3", nil, "the driver of SQLite, or none"},
	{"internal/store", []string{
		"internal/store/connect", "internal/store/fault", "internal/store/lending", "internal/store/migrations", "internal/store/standby",
		"internal/store/sqlite3", "internal/store/writer", "ent", "internal/base/crash", "internal/base/combine", "internal/base/filelock", "internal/base/pause",
	}, "opens the database for ent; callers who wait for a standby share a statement"},
	{"legacy", []string{"translate", "v1"}, "a second front end over v1's methods; deleting it must leave v1 whole"},
	{"translate/guide", []string{"internal/base/pattern", "translate", "translate/command", "translate/openapi", "v1", "v1/openapi", "internal/base/openjson"}, "prints the tables for people"},
	{"translate/paste", []string{"internal/base/pattern", "translate", "translate/capture", "translate/command", "translate/scan", "translate/source", "v1"}, "reads what people paste"},
	{"translate/scan", []string{"internal/base/pattern", "translate", "translate/capture", "translate/guide", "translate/source"}, "reads programs, and prints what the guide says of their calls"},
	{"translate/source", []string{"internal/base/pattern"}, "reads the languages of programs as tokens"},
	{"translate/letter", []string{"internal/base/phrases", "translate", "translate/guide", "v1"}, "writes to sellers what the guide says of their calls"},
	{"translate/capture", []string{"internal/base/pattern"}, "reads records of requests, whatever they ask for"},
	{"translate/openapi", []string{"translate", "v1", "v1/openapi", "internal/base/openjson"}, "prints the tables for programs"},
	{"translate/command", []string{"internal/base/pattern", "translate", "v1"}, "prints requests for a shell"},
	{"translate", []string{"internal/base/pattern", "v1"}, "knows names and values, neither HTTP nor the database"},
	{"changelog", []string{"internal/base/pattern"}, "a table and its pages"},
	{"v1/openapi", []string{"internal/base/each", "internal/base/pattern", "v1", "v1/outbound", "v1/wire", "v1/refusal", "internal/base/openjson"}, "prints the table of operations for programs; the rules do without it"},
	{"v1/cause", []string{"internal/base/each", "v1/rows", "v1/wire", "ent", "internal/base/wrap"}, "who caused events, and who wants which; knows no rule"},
	{"v1/delivery", []string{"internal/base/each", "internal/base/tracing", "v1/cause", "v1/feed", "v1/lease", "v1/outbound", "v1/rows", "v1/wire", "ent", "internal/base/crash", "internal/base/wrap"}, "the engine behind webhooks; knows none of the rules"},
	{"v1/feed", []string{"v1/cause", "v1/keycheck", "v1/rows", "ent", "internal/base/wrap"}, "the order of events and those who wait for them; knows no rule"},
	{"v1/outbound", []string{"v1/wire", "v1/refusal"}, "calls sellers' addresses, and knows neither items nor webhooks"},
	{"v1/reference", []string{"internal/base/each", "internal/base/weigh", "v1/wire", "v1/refusal"}, "data that every seller shares"},
	{"v1/sandbox", []string{"v1/rows", "v1/wire", "ent", "internal/base/crash", "internal/base/wrap"}, "removes an owner's rows, and knows none of the rules"},
	{"v1/shipping", []string{"v1/reference", "v1/wire", "v1/refusal", "ent", "internal/base/wrap"}, "what shipping costs and the numbers of parcels; knows neither the service nor its transactions"},
	{"v1/secret", []string{"v1/wire", "ent", "internal/base/wrap"}, "seals what it is given, and knows the rows that are sealed under the service's secret"},
	{"v1/ratelimit", []string{"v1/keycheck", "v1/rows", "ent"}, "counts requests, and knows no rule; its first statement may confirm a key"},
	{"v1/keycheck", []string{"v1/permission", "v1/rows", "ent"}, "the rows of API keys, and how a request confirms one; knows no rule"},
	{"v1/permission", nil, "names and bits; knows no operation"},
	{"v1/apikey", []string{"v1/wire", "v1/refusal"}, "the text of keys; knows no accounts"},
	{"v1/markup", nil, "HTML that sellers write, whatever it describes"},
	{"v1/client", nil, "sellers copy it to modules of their own"},
	{"v1/etag", nil, "headers of HTTP, whatever they tag"},
	{"v1/rows", []string{"internal/base/each", "v1/wire", "v1/refusal", "ent"}, "statements about many rows, whatever they are about"},
	{"v1/intake", []string{"internal/base/each", "v1/keycheck", "v1/rows", "ent", "internal/base/wrap"}, "statements that store new submissions, whatever the rules say of them"},
	{"v1/operators", []string{"internal/base/each", "v1/apikey", "v1/rows", "v1/wire", "ent", "internal/base/wrap"}, "the rows of operators and of the audit log; knows no rule"},
	{"v1/overview", []string{"internal/base/each", "v1/wire", "ent", "internal/base/wrap"}, "what operators see of accounts; only reads"},
	{"v1/itemset", []string{"v1/rows", "ent", "internal/base/wrap"}, "the items of one call with many changes, whatever the rules make of them"},
	{"v1/queue", []string{"v1/lease", "v1/rows", "v1/wire", "ent", "internal/base/wrap"}, "rows that wait for a worker, whatever is done with them"},
	{"v1/numbering", []string{"ent", "internal/base/wrap"}, "ids, whatever they name"},
	{"v1/lease", nil, "tokens and tries of workers, whatever they lease"},
	{"v1/wire", []string{"v1/refusal"}, "values and JSON, whatever they are about"},
	{"v1/refusal", []string{"internal/base/each", "internal/base/phrases"}, "codes and their meanings; everything above refuses with them"},
	{"v1/probe", []string{
		"internal/base/each",
		"v1", "v1/sunset", "v1/privacy", "v1/hooks", "v1/trade", "v1/items", "v1/publishing", "v1/core", "v1/delivery", "v1/rows", "v1/apikey", "v1/wire", "v1/refusal",
	}, "shows tests what callers cannot see; nothing else imports it"},
	{"v1/sunset", []string{
		"internal/base/each", "internal/base/pattern", "v1/accounts", "v1/hooks", "v1/trade", "v1/items", "v1/core", "v1/rows", "v1/numbering", "v1/keycheck", "v1/permission", "v1/apikey", "v1/etag",
		"v1/wire", "v1/refusal", "ent", "internal/base/wrap",
	}, "what only /rest needs; goes in one piece"},
	{"v1/privacy", []string{
		"v1/hooks", "v1/trade", "v1/items", "v1/core", "v1/delivery", "v1/lease", "v1/rows", "v1/wire", "ent", "internal/base/crash", "internal/base/wrap",
	}, "forgets, exports and erases, wherever data are kept"},
	{"v1/hooks", []string{
		"internal/base/each", "internal/base/tracing",
		"v1/trade", "v1/items", "v1/core", "v1/cause", "v1/delivery", "v1/feed", "v1/apikey", "v1/outbound", "v1/rows", "v1/secret", "v1/keycheck", "v1/operators", "v1/permission", "v1/etag",
		"v1/wire", "v1/refusal", "ent", "internal/base/wrap",
	}, "tells of what the rooms below did"},
	{"v1/accounts", []string{
		"internal/base/each", "internal/base/near", "internal/base/pattern", "v1/trade", "v1/items", "v1/core", "v1/delivery", "v1/reference", "v1/shipping", "v1/rows", "v1/numbering", "v1/permission", "v1/apikey",
		"v1/etag", "v1/operators", "v1/overview", "v1/wire", "v1/refusal", "ent", "internal/base/wrap",
	}, "who sells, and on which terms"},
	{"v1/trade", []string{
		"internal/base/each", "v1/items", "v1/core", "v1/reference", "v1/shipping", "v1/sandbox", "v1/rows", "v1/numbering", "v1/permission", "v1/etag", "v1/wire", "v1/refusal",
		"ent", "internal/base/crash", "internal/base/wrap",
	}, "sells items; knows nobody who is told of it"},
	{"v1/publishing", []string{
		"internal/base/each", "internal/base/tracing", "v1/cause", "v1/core", "v1/queue", "v1/lease", "v1/outbound", "v1/wire", "v1/refusal", "ent", "internal/base/combine", "internal/base/crash", "internal/base/turns", "internal/base/wrap",
	}, "brings what waits for publication to its end; the rules of items are handed to it"},
	{"v1/items", []string{
		"internal/base/each", "v1/publishing", "v1/core", "v1/cause", "v1/delivery", "v1/outbound", "v1/reference", "v1/shipping", "v1/intake", "v1/itemset", "v1/queue", "v1/rows", "v1/numbering",
		"v1/keycheck", "v1/permission", "v1/etag", "v1/markup", "v1/wire", "v1/refusal", "ent", "internal/base/combine", "internal/base/crash", "internal/base/turns", "internal/base/wrap",
	}, "puts items on sale; knows nobody who buys them"},
	{"v1/core", []string{
		"internal/base/each", "v1/cause", "v1/delivery", "v1/feed", "v1/outbound", "v1/reference", "v1/intake", "v1/itemset", "v1/rows", "v1/numbering", "v1/lease", "v1/secret",
		"v1/ratelimit", "v1/keycheck", "v1/operators", "v1/permission", "v1/apikey", "v1/etag", "v1/wire", "v1/refusal", "ent", "internal/base/crash", "internal/base/near", "internal/base/tracing", "internal/base/turns", "internal/base/wrap",
	}, "the way of every request and of every change; knows none of the rules"},
	{"v1", []string{
		"v1/sunset", "v1/privacy", "v1/hooks", "v1/accounts", "v1/trade", "v1/items", "v1/core", "v1/delivery", "v1/outbound", "v1/reference", "v1/shipping",
		"v1/rows", "v1/secret", "v1/ratelimit", "v1/operators", "v1/permission", "v1/apikey", "v1/wire", "v1/refusal",
	}, "the rooms together, and their names for callers; knows neither who serves them nor which database keeps them"},
	{"ent/schema", nil, "the model; the rules build on it and not the other way round"},
	{"ent", []string{"ent/schema"}, "generated from the schema"},

	{"conformance/release", []string{"conformance", "conformance/gate", "translate/openapi", "changelog", "v1", "v1/openapi"}, "seals what was promised"},
	{
		"conformance/gate",
		[]string{"conformance", "changelog", "internal/base/openjson"},
		"compares documents, and judges corrections; too heavy for the program, which replays only",
	},
	{
		"conformance",
		[]string{"internal/base/each", "internal/reference", "translate", "translate/openapi", "changelog", "v1", "v1/openapi"},
		"replays what was promised, from inside and outside; reads the document as its pages do",
	},
	{
		"internal/proof/servertest",
		[]string{
			"internal/base/each", "internal/base/httplog", "internal/server", "internal/store", "internal/demo", "internal/proof/pgtest",
			"translate", "translate/openapi", "v1", "v1/core", "v1/openapi", "v1/outbound/outboundtest", "ent",
		},
		"the whole service for tests, with its log, and with a name server of the test's",
	},
	{"internal/proof/bench", []string{"internal/base/httplog", "internal/base/pause", "internal/proof/pgtest", "internal/server", "internal/store", "v1", "v1/core", "v1/reference", "v1/wire", "ent"}, "measures the service as the program runs it, on both databases; copies rows by the columns of the model"},
	{"internal/base/each", nil, "lists and maps of lists, whatever they hold"},
	{"internal/base/near", nil, "how alike names are, whatever they name"},
	{"internal/base/combine", nil, "groups of callers, whatever they wait for"},
	{"internal/base/wrap", nil, "what failed, whatever did"},
	{"internal/base/httplog", nil, "lines of requests and of the standard library, whoever serves"},
	{"internal/base/pattern", nil, "regular expressions, whatever they match"},
	{"internal/base/turns", nil, "turns of callers, whatever they wait for"},
	{"internal/base/crash", nil, "names of points, which the shipped program passes without noticing"},
	{"internal/base/weigh", []string{"internal/base/pattern"}, "weights in headers, whatever they weigh"},
	{"internal/base/openjson", []string{"internal/base/pattern"}, "JSON, whatever it describes"},
	{"internal/proof/openapitest", []string{"internal/proof/generated"}, "reads documents in tests, whatever they describe"},
	{"internal/reference", []string{"internal/base/openjson"}, "works on the document alone, as any reader of it could"},
	{"internal/proof/crashtest", []string{"internal/base/crash", "internal/proof/blackbox", "internal/proof/installed"}, "sees the program from outside, as its callers do"},
	{"internal/proof/hooktest", []string{"internal/proof/blackbox"}, "sees the program from outside, as sellers and their receivers do"},
	{"internal/proof/outagetest", []string{"internal/proof/blackbox"}, "sees the program from outside, as its callers do"},
	{"internal/proof/hostiletest", []string{"internal/proof/blackbox"}, "sees the program from outside, as those who attack it do"},
	{"internal/proof/lineartest", []string{"internal/proof/blackbox"}, "sees the program from outside, as its callers do"},
	{"internal/proof/fuzzhttp", nil, "sends requests by the program's own documents"},
	{"internal/proof/clienttest", []string{"internal/proof/blackbox"}, "sees the program from outside, as clients do"},
	{"internal/proof/arazzotest", nil, "sees the program from outside, as programs that follow a description do"},
	{"internal/proof/browsertest", nil, "sees the pages as their readers do"},
	{"internal/proof/blackbox", nil, "runs the program for tests that see it from outside"},
	{"internal/proof/certtest", nil, "makes certificates"},
	{"internal/proof/pgtest", nil, "gives tests a PostgreSQL"},
	{"internal/proof/plantest", []string{"internal/proof/servertest", "internal/store", "v1", "ent"}, "fills databases, and explains plans, for tests"},
	{"docs", nil, "pages, and no code"},
	{"internal/demo", nil, "serves pictures"},
	{"internal/proof/generated", nil, "compares files, whatever they hold"},
	{"internal/proof/installed", nil, "asks for programs"},
	{"internal/proof/helptest", []string{"internal/command"}, "reads the help of a program, whatever its commands do"},
	{"internal/proof/docstest", nil, "sees the program from outside"},
	{"internal/proof/arch", nil, "this folder"},
}

// levels are the rooms of v1, from the top. A room imports no room of its own level or of a higher one.
var levels = [][]string{{"v1/probe"}, {"v1"}, {"v1/sunset"}, {"v1/privacy"}, {"v1/hooks", "v1/accounts"}, {"v1/trade"}, {"v1/items"}, {"v1/publishing"}, {"v1/core"}}

// testArrows is what the tests of a folder may import besides. Every test that needs the whole service may import it.
var testArrows = []arrow{
	{"internal/proof/pgtest", []string{"internal/proof/installed"}, "the harness is not tested with what stands on it"},
	{"internal/demo", nil, "a leaf"},
	{"internal/store", []string{"internal/proof/pgtest", "ent"}, "below the service"},
	{
		"internal/proof/arazzotest",
		[]string{"internal/proof/blackbox", "internal/proof/installed", "internal/proof/generated", "internal/base/openjson", "translate", "translate/command", "translate/guide", "v1", "v1/openapi"},
		"sees the program from outside; the guide prints what it sends, and the table names it",
	},
	{"internal/proof/docstest", []string{"internal/proof/pgtest", "internal/proof/installed"}, "sees the program from outside"},
	{"internal/proof/browsertest", []string{"internal/proof/servertest", "internal/proof/installed", "internal/downloads", "internal/server", "internal/site", "changelog", "v1"}, "sees pages with issues and downloads that are invented"},
	{"internal/proof/outagetest", []string{"internal/proof/pgtest", "internal/proof/installed"}, "sees the program from outside"},
	{"internal/proof/hooktest", []string{"internal/proof/pgtest"}, "sees the program from outside"},
	{
		"internal/proof/hostiletest",
		[]string{"internal/proof/installed", "internal/proof/pgtest", "internal/proof/servertest", "internal/store", "v1/outbound"},
		"sees the program from outside, takes its targets from the list of the package that refuses them, and looks for traces in the database",
	},
	{"internal/proof/lineartest", []string{"internal/proof/pgtest"}, "sees the program from outside"},
	{"docs/deploy", []string{"internal/proof/blackbox", "internal/proof/certtest", "internal/proof/installed", "internal/proof/pgtest"}, "sees the program from outside, as a machine runs it"},
	{"internal/proof/arch", nil, "looks at source code only"},
	{"conformance/gate", []string{"translate", "translate/openapi", "v1", "v1/openapi"}, "compares documents of the program"},
	{
		"conformance",
		[]string{
			"conformance/gate", "internal/base/openjson", "internal/bridge", "internal/proof/servertest", "internal/proof/installed", "internal/proof/generated",
			"v1/permission", "ent",
		},
		"holds the program against what was promised, and the bridge, too; records answers with their members in order",
	},
	{"cmd/seller", []string{"internal/proof/helptest", "v1/apikey"}, "sees the program from outside, with a key"},
	{"internal/downloads/dist", []string{"internal/proof/blackbox", "internal/proof/installed"}, "gets the programs from a server, as a seller does"},
	{"translate/openapi", []string{"internal/proof/openapitest"}, "reads the document that it makes"},
	{"translate/command", []string{"internal/proof/installed"}, "has its commands read by a shell"},
	{"translate/letter", []string{"internal/proof/installed"}, "has its letters read by other programs"},
	{"translate", []string{"translate/command", "v1/markup", "internal/proof/generated"}, "prints what its samples mean, and holds what it makes of texts against what v1 makes of them"},
	{
		"legacy",
		[]string{"internal/proof/servertest", "internal/proof/pgtest", "internal/proof/installed", "internal/server", "translate/command", "translate/paste", "v1", "ent"},
		"runs what is printed",
	},
	{"internal/mcp", []string{"internal/proof/servertest", "translate/command"}, "translates what old programs send"},
	{"internal/importing", []string{"internal/proof/servertest", "v1", "v1/permission"}, "imports with keys that may do less"},
	{"internal/exporting", []string{"internal/proof/servertest", "internal/importing", "v1"}, "imports what it exports"},
	{"internal/bridge", []string{"internal/proof/servertest", "internal/proof/installed", "translate/scan", "v1", "v1/openapi"}, "records what the scan finds"},
	{"", []string{
		"internal/proof/servertest", "internal/proof/plantest", "internal/proof/pgtest", "internal/proof/installed", "internal/proof/generated", "internal/proof/openapitest", "internal/proof/helptest", "internal/demo",
		"internal/proof/certtest", "internal/store", "internal/server", "v1", "v1/core", "v1/probe", "v1/openapi", "ent",
	}, "every other package"},
}

// goPackage is what go list prints about a package.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsFollowTheArrows(t *testing.T) {
	for _, p := range goList(t) {
		t.Run(strings.TrimPrefix(p.ImportPath, module), func(t *testing.T) {
			folder := strings.TrimPrefix(p.ImportPath, module)
			row, ok := arrowFrom(arrows, folder)
			if !ok {
				t.Fatalf("%s has no line in the table of arrows", folder)
			}
			for _, stray := range strays(p.Imports, row.from, row.to) {
				t.Errorf("%s imports %s, but may import only %v: it %s", folder, stray, row.to, row.why)
			}
			tests, _ := arrowFrom(testArrows, folder)
			for _, stray := range strays(slices.Concat(p.TestImports, p.XTestImports), row.from, slices.Concat(row.to, tests.to)) {
				t.Errorf("the tests of %s import %s, but may import only %v and %v: %s", folder, stray, row.to, tests.to, tests.why)
			}
		})
	}
}

func TestRoomsImportLowerLevelsOnly(t *testing.T) {
	var above []string // the rooms of the levels down to that of the room
	for _, level := range levels {
		above = append(above, level...)
		for _, room := range level {
			row, _ := arrowFrom(arrows, room)
			if row.from != room {
				t.Fatalf("%s has no line", room)
			}
			for _, to := range row.to {
				if slices.Contains(above, to) {
					t.Errorf("the line of %s allows %s, which is not below it", room, to)
				}
			}
		}
	}
	// What is below the rooms imports none of them.
	for _, row := range arrows {
		if !strings.HasPrefix(row.from, "v1/") || row.from == "v1/openapi" || slices.Contains(above, row.from) {
			continue
		}
		for _, to := range row.to {
			if slices.Contains(above, to) {
				t.Errorf("the line of %s allows the room %s", row.from, to)
			}
		}
	}
}

func TestArrowsRefuse(t *testing.T) {
	for name, imports := range map[string]struct{ from, to string }{
		"a server that reads the database itself":             {"internal/server", "ent"},
		"a front end that reads the database itself":          {"legacy", "ent/item"},
		"tables of names that read the database":              {"translate", "ent"},
		"a model that knows the rules":                        {"ent/schema", "v1"},
		"rules that know the old interface":                   {"v1", "legacy"},
		"rules that open the database themselves":             {"v1", "internal/store"},
		"the program's reaching past the service":             {"cmd/sellerd", "ent"},
		"a program that does the work of its commands":        {"cmd/sellerd", "internal/server"},
		"a command for sellers that opens a database":         {"internal/command/seller", "internal/store"},
		"a command for sellers that knows the rules":          {"internal/command/seller", "v1"},
		"a command for operators that reads the rows itself":  {"internal/command/operator", "ent"},
		"a reader of command lines that knows the commands":   {"internal/command", "internal/command/seller"},
		"values that know the rules":                          {"v1/wire", "v1"},
		"shipping models that know the rules":                 {"v1/shipping", "v1"},
		"a secret that knows the rules":                       {"v1/secret", "v1"},
		"a rate limiter that knows the rules":                 {"v1/ratelimit", "v1"},
		"a client that knows the rules":                       {"v1/client", "v1/refusal"},
		"entity tags that know the error codes":               {"v1/etag", "v1/refusal"},
		"rules that know the document made of them":           {"v1", "v1/openapi"},
		"tables that know that document":                      {"translate", "v1/openapi"},
		"an engine that knows the rules":                      {"v1/delivery", "v1"},
		"what goes with /rest and knows the face":             {"v1/sunset", "v1"},
		"an engine that needs what goes with /rest":           {"v1/delivery", "v1/sunset"},
		"a room that needs what goes with /rest":              {"v1/accounts", "v1/sunset"},
		"rules about items that know who buys them":           {"v1/items", "v1/trade"},
		"a room that knows another one of its level":          {"v1/hooks", "v1/accounts"},
		"a core that knows a rule":                            {"v1/core", "v1/items"},
		"a program that looks where only tests look":          {"internal/server", "v1/probe"},
		"values that know the tables of the database":         {"v1/wire", "ent"},
		"errors that know the values they are about":          {"v1/refusal", "v1/wire"},
		"tables that know what prints them":                   {"translate", "translate/guide"},
		"a reader of the tables that knows another one":       {"translate/paste", "translate/guide"},
		"a reader of records that knows the tables":           {"translate/capture", "translate"},
		"a front end that prints the tables":                  {"legacy", "translate/openapi"},
		"a bridge that reads the database":                    {"internal/bridge", "ent"},
		"a bridge that is part of the server":                 {"internal/server", "internal/bridge"},
		"tools for agents that reach past the service":        {"internal/mcp", "internal/store"},
		"a bridge that carries the tools for agents":          {"internal/bridge", "internal/mcp"},
		"an import that knows the rules":                      {"internal/importing", "v1"},
		"a reader of rows that knows their meaning":           {"internal/sheet", "internal/importing"},
		"a writer that knows who opened it":                   {"internal/store/writer", "internal/store"},
		"a folder whose name only begins with an allowed one": {"v1", "enterprise"},
	} {
		t.Run(name, func(t *testing.T) {
			row, ok := arrowFrom(arrows, imports.from)
			if !ok {
				t.Fatalf("%s has no line", imports.from)
			}
			if len(strays([]string{module + imports.to}, row.from, row.to)) != 1 {
				t.Errorf("%s may import %s", imports.from, imports.to)
			}
		})
	}
}

// goList lists the module's packages.
func goList(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// arrowFrom finds the first line for a folder.
func arrowFrom(table []arrow, folder string) (arrow, bool) {
	i := slices.IndexFunc(table, func(a arrow) bool { return a.from == "" || within(folder, a.from) })
	if i < 0 {
		return arrow{}, false
	}
	return table[i], true
}

// strays returns the imports from this module that are neither in the folder itself nor in an allowed one.
func strays(imports []string, folder string, allowed []string) []string {
	var found []string
	for _, path := range imports {
		to, ours := strings.CutPrefix(path, module)
		if ours && !belongs(to, folder) && !slices.ContainsFunc(allowed, func(a string) bool { return belongs(to, a) }) {
			found = append(found, to)
		}
	}
	return found
}

// belongs says whether a package is in a folder, and not in a room below it.
func belongs(path, folder string) bool {
	row, _ := arrowFrom(arrows, path)
	return within(path, folder) && (row.from == folder || !within(row.from, folder))
}

// within says whether path is the folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
