// Package site has what all pages of the documentation share: the list of pages, from which the menu and the links to the
// next page are made; the Markdown files of the folder docs as pages; and the search over all pages.
//
// A new page is a file in a folder of docs, by its readers, and a line in the list below.
package site

import (
	"cmp"
	"slices"
	"sync"
)

// Page is a page in the menu.
type Page struct {
	// Doc is the name of a Markdown file in a folder of docs without its ending, or of a folder that has a README. The page is at
	// /docs/ with this name, whatever the folder. It is empty for a page that the program makes; then Path is set.
	Doc string
	// Path is the address of the page. It is set for every page once the site is made.
	Path string
	// Title is the text of the menu.
	Title string
	// About says in a few words what a page of docs is about. Language models read it.
	About string
	// Optional is set if few callers need the page.
	Optional bool
	// Instead is the page of docs that a public server shows at the address of a page for the demo. It keeps links that were
	// published alive.
	Instead string
	// Downloads is set if only a server with downloads shows the page.
	Downloads bool
	// Place is the title of its group, or of the page that it is a part of, once the site is made.
	Place string
	// Weight is that of its group once the site is made.
	Weight float64
	house  *House // of its group
	// Parts are pages about parts of the subject. The menu shows them while the page, or one of them, is read.
	Parts []Page
}

// House is a part of the site for one kind of reader. The menu shows the groups of one house.
type House struct {
	Title string
	Path  string // of its first page
}

// The houses. Only a server with --demo shows those for the people who run or change the program.
var (
	sell   = &House{"Sell", "/"}
	run    = &House{"Run", "/docs/operating"}
	change = &House{"Change", "/docs/architecture"}
	houses = []*House{sell, run, change}
)

// Group is a part of the menu.
type Group struct {
	Title string
	House *House
	// Weight is how much the search prefers the pages: 1, or 0, is what every seller reads.
	Weight float64
	Pages  []Page
}

// groups are all pages in the order of the menu, which is also that of the links to the next and the previous page.
var groups = []Group{
	{Title: "Begin", House: sell, Pages: []Page{
		{Path: "/", Title: "The seller API"},
		{Doc: "start", Title: "Start", About: "the first item, from the key to the parcel"},
		{Path: "/account", Title: "Your account"},
	}},
	{Title: "How /v1 works", House: sell, Pages: []Page{
		{Doc: "api", Title: "Overview", About: "what all operations share, and which page describes it"},
		{Doc: "authentication", Title: "Authentication", About: "keys, test mode and live mode, permissions"},
		{Doc: "keys", Title: "Replace a key", About: "how a key makes its successor and ends itself, and what to do when one has leaked"},
		{Doc: "buyers", Title: "Buyers' data", About: "which keys read who the buyers are, and buyers who were forgotten"},
		{Doc: "requests", Title: "Requests and answers", About: "JSON, the envelope, values such as money and times"},
		{Doc: "changes", Title: "Changes", About: "PATCH, entity tags, many changes in one call"},
		{Doc: "errors", Title: "Errors", About: "the form of an error, and what to do with each status"},
		{Doc: "lists", Title: "Pagination and filters", About: "cursors, filters, windows of time, what changed since"},
		{Doc: "limits", Title: "Limits and 429", About: "the requests of a minute, the items of a store, and their headers"},
		{Doc: "idempotency", Title: "Idempotency and retries", About: "how to repeat a request without doing its work twice"},
		{Doc: "images", Title: "Images and HTML", About: "which pictures are accepted, and which HTML a description may have"},
		{Doc: "webhooks", Title: "Webhooks", About: "how to subscribe to events, and which permissions that takes", Parts: []Page{
			{Doc: "webhook-events", Title: "Events", About: "every event, and what it contains"},
			{Doc: "webhook-receiver", Title: "Write a receiver", About: "how to answer, what may come twice, the order of events, a receiver on your machine"},
			{Doc: "webhook-security", Title: "Security of webhooks", About: "how deliveries are signed, and how to change the secret"},
			{Doc: "signatures", Title: "Webhook signatures", About: "functions that check a signature, in four languages", Optional: true},
			{Doc: "webhook-retries", Title: "Retries and pauses", About: "what happens while a receiver does not answer"},
			{Doc: "webhook-deliveries", Title: "Deliveries", About: "how to see every attempt, and how to send an event again"},
			{Doc: "webhook-recovery", Title: "Catch up", About: "how to get missed events"},
		}},
		{Doc: "event-feed", Title: "The event feed", About: "how to read all events without a webhook, with a cursor"},
		{Doc: "sandbox", Title: "Sandbox", About: "how to test a whole sale with a test key", Parts: []Page{
			{Doc: "sandbox-calls", Title: "Act as buyers and the marketplace", About: "the calls under /v1/test"},
			{Doc: "sandbox-buyers", Title: "Test buyers", About: "who buys in the sandbox, and how to name a buyer"},
			{Doc: "sandbox-images", Title: "Outcomes of a publication", About: "images that decide how a submission of test mode ends"},
			{Doc: "sandbox-reset", Title: "Reset the sandbox", About: "how to remove the data of test mode, and what stays"},
		}},
		{Doc: "states", Title: "States", About: "the states of items, submissions, sales and bills, and the moves between them"},
		{Doc: "versioning", Title: "Versioning", About: "what releases may change, and how you hear of it"},
		{Path: "/known-issues", Title: "Known issues"},
	}},
	{Title: "Look up", House: sell, Pages: []Page{
		{Path: "/docs", Title: "Reference"},
		{Path: "/errors", Title: "Error codes"},
		{Path: "/changelog", Title: "Change log"},
	}},
	{Title: "Tools", House: sell, Pages: []Page{
		{Path: "/downloads", Title: "Downloads", Downloads: true},
		{Doc: "clients", Title: "Clients", About: "a small client for PHP, JavaScript, Python and Go, to copy into your program", Parts: []Page{
			{Doc: "clients-python", Title: "Python", About: "a program with the client for Python", Optional: true},
			{Doc: "clients-php", Title: "PHP", About: "a program with the client for PHP", Optional: true},
			{Doc: "clients-javascript", Title: "JavaScript", About: "a program with the client for JavaScript", Optional: true},
			{Doc: "clients-go", Title: "Go", About: "a program with the client for Go", Optional: true},
			{Doc: "clients-go-more", Title: "Go: errors, lists and webhooks", About: "the second half of this program", Optional: true},
		}},
		{Doc: "mcp", Title: "Tools for agents", About: "how an agent calls the service and moves old calls, over the Model Context Protocol", Optional: true},
		{Doc: "import", Title: "A shop from a file", About: "how to list and change items from a spreadsheet", Optional: true},
		{Doc: "import-again", Title: "Import again, change items", About: "what happens when an import runs again, and how a file changes items", Optional: true},
		{Doc: "import-files", Title: "What an import reads", About: "how the cells of a spreadsheet are read", Optional: true},
		{Doc: "export", Title: "A shop in a file", About: "how to get items, sales and bills into a spreadsheet", Optional: true},
	}},
	{Title: "From /rest to /v1", House: sell, Weight: 0.6, Pages: []Page{
		{Path: "/migration", Title: "Migration guide"},
		{Path: "/migration/usage", Title: "What is left"},
		{Path: "/migration/translate", Title: "Translator"},
		{Doc: "legacy", Title: "The deprecated interface", About: "until when /rest answers, and what your account still calls", Optional: true, Parts: []Page{
			{Doc: "legacy-calls", Title: "Call /rest", About: "how old programs call /rest: sessions, forms, permissions", Optional: true},
			{Doc: "legacy-functions", Title: "The documented functions", About: "how /rest differs from its public documentation", Optional: true},
			{Doc: "legacy-functions-items", Title: "Functions of items", About: "the same for the functions of items", Optional: true},
			{Doc: "legacy-notifications", Title: "Notifications of /rest", About: "settings of notifications, which are webhooks", Optional: true},
			{Doc: "legacy-translate", Title: "Translate a request", About: "how to see a request of /rest in /v1", Optional: true},
			{Doc: "legacy-rehearsal", Title: "Rehearse the sunset", About: "how to get the answers of the day after the end of /rest", Optional: true},
		}},
		{Doc: "bridge", Title: "The bridge", About: "how a program that cannot be changed goes on working after the end of /rest", Optional: true, Parts: []Page{
			{Doc: "bridge-install", Title: "Install the bridge", About: "the files, and the steps on macOS and Linux", Optional: true},
			{Doc: "bridge-windows", Title: "The bridge on Windows", About: "the steps on Windows", Optional: true},
			{Doc: "bridge-settings", Title: "Flags, keys and recordings", About: "how to set the bridge up", Optional: true},
			{Doc: "bridge-differences", Title: "What changes", About: "what the bridge keeps as it was, and what it cannot keep", Optional: true},
			{Doc: "bridge-trouble", Title: "When it reports an error", About: "messages of the bridge, and their causes", Optional: true},
		}},
		{Doc: "scan", Title: "Scan", About: "how to find every place in your programs that calls /rest", Optional: true, Parts: []Page{
			{Doc: "scan-again", Title: "Scan again", About: "how a build fails when a program calls /rest again", Optional: true},
			{Doc: "scan-files", Title: "What the scan reads", About: "the languages, settings and records that the scan understands", Optional: true},
			{Doc: "scan-findings", Title: "What a finding says", About: "how certain a finding is, and the reports for programs", Optional: true},
		}},
	}},
	{Title: "Set up", House: run, Weight: 0.5, Pages: []Page{
		{Doc: "operating", Title: "Operating"},
		{Doc: "operating-install", Title: "Install and configure"},
		{Doc: "operating-proxy", Title: "Behind a proxy"},
		{Doc: "deploy", Title: "Containers and systemd"},
		{Doc: "operating-databases", Title: "Databases"},
		{Doc: "operating-standby", Title: "Standbys"},
		{Doc: "operating-patroni", Title: "Automatic failover"},
		{Doc: "operating-managed", Title: "Managed PostgreSQL"},
		{Doc: "operating-pooler", Title: "A pooler"},
		{Doc: "operating-copy", Title: "Move to another database"},
	}},
	{Title: "Sellers", House: run, Weight: 0.5, Pages: []Page{
		{Doc: "operating-accounts", Title: "Accounts"},
		{Doc: "operating-keys", Title: "Keys of sellers"},
		{Doc: "operating-limits", Title: "Limits and quotas"},
		{Doc: "operating-webhooks", Title: "Webhooks of sellers"},
		{Doc: "operating-buyers", Title: "Forget a buyer"},
		{Doc: "operating-privacy", Title: "Data protection"},
		{Doc: "operating-rest", Title: "The end of /rest"},
		{Doc: "operating-api", Title: "The operator API"},
		{Doc: "operating-pages", Title: "The operator's pages"},
		{Doc: "operating-operators", Title: "Operators and what they changed"},
	}},
	{Title: "Day by day", House: run, Weight: 0.5, Pages: []Page{
		{Doc: "operating-monitoring", Title: "Monitoring"},
		{Doc: "operating-log", Title: "The log"},
		{Doc: "operating-upgrades", Title: "Restarts and upgrades"},
		{Doc: "operating-releases", Title: "Releases and downloads"},
		{Doc: "operating-outages", Title: "Outages"},
		{Doc: "backup", Title: "Backup and restore"},
		{Doc: "operating-secrets", Title: "Secrets"},
		{Doc: "operating-commands", Title: "Commands"},
	}},
	{Title: "Measured", House: run, Weight: 0.25, Pages: []Page{
		{Doc: "scaling", Title: "Scaling"},
		{Doc: "performance", Title: "Performance"},
		{Doc: "reliability", Title: "Reliability"},
	}},
	{Title: "How it is built", House: change, Weight: 0.25, Pages: []Page{
		{Doc: "architecture", Title: "Architecture", Parts: []Page{
			{Doc: "architecture-request", Title: "The way of a request"},
			{Doc: "architecture-data", Title: "Transactions and databases"},
			{Doc: "architecture-workers", Title: "Workers"},
			{Doc: "architecture-folders", Title: "Folders"},
			{Doc: "architecture-packages", Title: "Packages and levels"},
			{Doc: "architecture-rest", Title: "The old interface"},
			{Doc: "architecture-sunset", Title: "What goes in October 2027"},
		}},
		{Doc: "engineering", Title: "Engineering decisions"},
	}},
	{Title: "How to change it", House: change, Weight: 0.25, Pages: []Page{
		{Doc: "recipes", Title: "Recipes: change and release", Parts: []Page{
			{Doc: "recipes-v1", Title: "Recipes: /v1"},
			{Doc: "recipes-rest", Title: "Recipes: /rest"},
			{Doc: "recipes-pages", Title: "Recipes: pages, issues"},
			{Doc: "glossary", Title: "Glossary"},
		}},
		{Doc: "conformance", Title: "What releases promise", Instead: "versioning"},
	}},
}

// Entry is what the search knows of the page, beside its text.
func (p Page) Entry() Entry {
	return Entry{Path: p.Path, Title: p.Title, Also: OtherNames(cmp.Or(p.Doc, p.Path)), About: p.About, Place: p.Place, Weight: p.Weight}
}

// Link is a link to a page.
type Link struct{ Path, Title string }

// Menu is what a page shows of the site: the houses, if there are several, and the groups of its own.
type Menu struct {
	Houses []MenuLink
	Groups []MenuGroup
}

// MenuGroup is a part of the menu as a page shows it.
type MenuGroup struct {
	Title string
	Open  bool // the page is in it
	Links []MenuLink
}

// MenuLink is a line of the menu.
type MenuLink struct {
	Link
	// Current is "page" if the line leads to the page that shows it, "true" if it leads to the list that the page belongs to, and
	// otherwise empty. It is a value of aria-current.
	Current string
	// Parts are the pages below this one, if the page or one of them shows the menu.
	Parts []MenuLink
}

// Site is the pages that one server shows.
type Site struct {
	groups []Group
	pages  []Page
	docs   map[string]func() *Doc // by name; made when they are first asked for, because a server starts faster than it renders them
}

// Options say which pages a server shows, and how.
type Options struct {
	Demo    bool   // also those for the people who run or change the program, and the commands that need a demo server
	BaseURL string // where the server is reached, without a trailing slash

	// DemoFile returns the path of a file that a demo server keeps (demo-keys.json, operator-token), as a word of a shell. Without
	// it the commands of the pages name the files of `make run`, which are in the folder data.
	DemoFile func(name string) string

	// OperatorURL is where the operator reaches a demo server. It is empty for the address of `make run`.
	OperatorURL string

	// Downloads says, in Markdown, how to get the programs that the server has for sellers. It is empty for a server without them.
	Downloads string
}

// New makes the site. Its files are part of the program, so asking for a page panics only if the program was built wrong.
func New(o Options) *Site {
	s := &Site{docs: map[string]func() *Doc{}}
	for _, group := range groups {
		if group.House != sell && !o.Demo {
			continue
		}
		shown := Group{Title: group.Title, House: group.House}
		for _, page := range group.Pages {
			if page.Downloads && o.Downloads == "" {
				continue
			}
			page.house, page.Weight = group.House, cmp.Or(group.Weight, 1)
			page = addressed(page, group.Title)
			shown.Pages = append(shown.Pages, page)
			s.pages = append(append(s.pages, page), page.Parts...)
		}
		s.groups = append(s.groups, shown)
	}
	for _, page := range s.pages {
		if page.Doc != "" {
			s.docs[page.Doc] = sync.OnceValue(func() *Doc { return newDoc(page.Doc, o, s.shows) })
		}
	}
	return s
}

// ofOptional is what the weight of an optional page is multiplied by.
const ofOptional = 0.8

// addressed is a page of a group with its place, and with the addresses of itself and of its parts.
func addressed(page Page, place string) Page {
	page.Parts = slices.Clone(page.Parts)
	for i, part := range page.Parts {
		part.house, part.Weight = page.house, page.Weight
		page.Parts[i] = addressed(part, page.Title)
	}
	if page.Place = place; page.Optional {
		page.Weight *= ofOptional
	}
	if page.Doc != "" {
		page.Path = docPath(page.Doc)
	}
	return page
}

func docPath(name string) string { return "/docs/" + name }

// shows says whether the site has a page of docs.
func (s *Site) shows(doc string) bool { return s.docs[doc] != nil }

// Pages are all pages in the order of the menu.
func (s *Site) Pages() []Page { return s.pages }

// Doc is a page of docs. ok is false if the site does not show it, unless it shows another page in its place.
func (s *Site) Doc(name string) (doc *Doc, ok bool) {
	if made, ok := s.docs[name]; ok {
		return made(), true
	}
	for _, group := range groups {
		for _, page := range group.Pages {
			if page.Doc == name && page.Instead != "" {
				return s.Doc(page.Instead)
			}
		}
	}
	return nil, false
}

// Menu is the menu of the page at a path. A page that is not in the menu belongs to the list in section, if that is set. The first group is
// open on a page that is in none.
func (s *Site) Menu(path, section string) Menu {
	house := s.houseOf(path, section)
	var menu Menu
	for _, other := range houses {
		if slices.ContainsFunc(s.groups, func(g Group) bool { return g.House == other }) {
			line := MenuLink{Link: Link{other.Path, other.Title}}
			if other == house {
				line.Current = "true"
			}
			menu.Houses = append(menu.Houses, line)
		}
	}
	if len(menu.Houses) == 1 {
		menu.Houses = nil
	}
	for _, group := range s.groups {
		if group.House == house {
			menu.Groups = append(menu.Groups, group.shown(path, section))
		}
	}
	if !slices.ContainsFunc(menu.Groups, func(g MenuGroup) bool { return g.Open }) {
		menu.Groups[0].Open = true
	}
	return menu
}

// houseOf is the house of a page, that of the sellers if the page is in no menu.
func (s *Site) houseOf(path, section string) *House {
	i := slices.IndexFunc(s.pages, func(p Page) bool { return p.Path == path || p.Path == section })
	if i < 0 {
		return sell
	}
	return s.pages[i].house
}

// shown is the group in the menu of the page at a path.
func (g Group) shown(path, section string) MenuGroup {
	part := MenuGroup{Title: g.Title}
	for _, page := range g.Pages {
		line := page.line(path, section)
		if line.Current != "" || slices.ContainsFunc(page.Parts, func(part Page) bool { return part.Path == path }) {
			part.Open = true
			for _, below := range page.Parts {
				line.Parts = append(line.Parts, below.line(path, ""))
			}
		}
		part.Links = append(part.Links, line)
	}
	return part
}

// line is the line of the page in the menu of the page at a path.
func (p Page) line(path, section string) MenuLink {
	line := MenuLink{Link: Link{p.Path, p.Title}}
	switch p.Path {
	case path:
		line.Current = "page"
	case section:
		line.Current = "true"
	}
	return line
}

// Has says whether the site has a page at a path.
func (s *Site) Has(path string) bool {
	return slices.ContainsFunc(s.pages, func(p Page) bool { return p.Path == path })
}

// Around are the pages before and after the page at a path in its house, nil where there is none.
func (s *Site) Around(path string) (previous, next *Link) {
	neighbour := func(i int) *Link {
		if i < 0 || i >= len(s.pages) || s.pages[i].house != s.houseOf(path, "") {
			return nil
		}
		return &Link{s.pages[i].Path, s.pages[i].Title}
	}
	i := slices.IndexFunc(s.pages, func(p Page) bool { return p.Path == path })
	if i < 0 {
		return nil, nil
	}
	return neighbour(i - 1), neighbour(i + 1)
}
