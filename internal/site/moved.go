package site

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// Addresses of sections stay alive. When a section moves to another page of docs, its anchor stays on the old page: it marks the entry of
// a list, or the row of a table, with the link to the new place. The address of a removed page leads to the page that has its content.

// moved are the sections that moved. For each page, it has their anchors with the new place: a page, and an anchor if it is needed.
var moved = map[string]map[string]string{
	"api": {
		"keys":         "authentication",
		"modes":        "authentication#test-mode-and-live-mode",
		"permissions":  "authentication#permissions",
		"requests":     "requests#requests",
		"answers":      "requests#answers",
		"values":       "requests#values",
		"errors":       "errors",
		"idempotency":  "idempotency",
		"limits":       "limits",
		"lists":        "lists",
		"changes":      "changes",
		"many-changes": "changes#many-changes-in-one-call",
		"events":       "webhooks",
		"versions":     "versioning",
	},
	"webhooks": {
		"events":                              "webhook-events",
		"check-the-signature":                 "webhook-security#check-the-signature",
		"answer":                              "webhook-receiver",
		"when-you-do-not-answer":              "webhook-retries",
		"see-what-was-sent-and-send-it-again": "webhook-deliveries",
		"catch-up":                            "webhook-recovery",
		"change-the-secret":                   "webhook-security#change-the-secret",
		"on-your-own-machine":                 "webhook-receiver#on-your-own-machine",
	},
	"webhook-recovery": {
		"the-feed": "event-feed",
	},
	"sandbox": {
		"what-buyers-and-the-marketplace-do": "sandbox-calls",
		"who-buys":                           "sandbox-buyers",
		"how-publication-ends":               "sandbox-images",
		"a-clean-sandbox":                    "sandbox-reset",
	},
	"import": {
		"list-a-file":              "import#3-try-it",
		"if-a-row-is-wrong":        "import-again#if-a-row-is-wrong",
		"run-it-again":             "import-again#run-it-again",
		"change-items-from-a-file": "import-again#change-items-from-a-file",
	},
	"clients": {
		"python":     "clients-python",
		"php":        "clients-php",
		"javascript": "clients-javascript",
		"go":         "clients-go",
	},
	"operating": {
		"the-first-start":    "operating-install",
		"configuration":      "operating-install#settings",
		"behind-a-proxy":     "operating-proxy",
		"the-commands":       "operating-commands",
		"health-and-metrics": "operating-monitoring",
		"accounts-and-keys":  "operating-accounts",
		"the-operator-api":   "operating-api",
		"in-a-browser":       "operating-pages",
		"what-is-logged":     "operating-api#what-is-logged",
		"which-sellers-still-use-the-old-interface": "operating-rest",
		"forgetting-a-buyer":                        "operating-buyers",
		"secrets":                                   "operating-secrets",
		"sqlite":                                    "operating-databases#sqlite",
		"postgresql":                                "operating-databases#postgresql",
		"when-the-database-does-not-answer":         "operating-outages#postgresql-does-not-answer",
		"a-standby-that-takes-over":                 "operating-standby#a-standby-that-takes-over",
		"reads-from-a-standby":                      "operating-standby#reads-from-a-standby",
		"a-pooler-in-between":                       "operating-pooler",
		"moving-to-another-database":                "operating-copy",
		"restarts-without-an-outage":                "operating-upgrades#restart-without-an-outage",
		"upgrades":                                  "operating-upgrades#upgrade",
		"when-something-is-wrong":                   "operating-outages",
	},
	"architecture": {
		"a-request-in-four-files":   "architecture-request",
		"where-things-are":          "architecture-folders",
		"packages-and-levels":       "architecture-packages",
		"one-transaction":           "architecture-data#one-transaction",
		"two-databases":             "architecture-data#two-databases",
		"workers":                   "architecture-workers",
		"the-old-interface":         "architecture-rest",
		"what-goes-in-october-2027": "architecture-sunset",
		"what-a-change-touches":     "recipes",
	},
	"scaling": {
		"why-no-table-is-partitioned-by-time": "engineering#why-no-table-is-partitioned-by-time",
	},
	"legacy": {
		"as-an-old-program-calls-it":          "legacy-calls",
		"the-documented-functions-one-by-one": "legacy-functions",
		"translate-a-request":                 "legacy-translate",
		"rehearse-the-sunset":                 "legacy-rehearsal",
		"a-program-that-cannot-be-changed":    "bridge",
		"notifications":                       "legacy-notifications",
	},
	"bridge": {
		"install-it":              "bridge-install",
		"windows":                 "bridge-windows",
		"macos":                   "bridge-install#macos",
		"linux":                   "bridge-install#linux",
		"flags":                   "bridge-settings#flags",
		"keys":                    "bridge-settings#keys",
		"recordings-and-logs":     "bridge-settings#recordings-and-logs",
		"what-stays-as-it-was":    "bridge-differences#what-stays-as-it-was",
		"what-cannot-stay":        "bridge-differences#what-cannot-stay",
		"when-something-is-wrong": "bridge-trouble",
	},
	"scan": {
		"what-is-read":           "scan-files",
		"what-a-finding-says":    "scan-findings",
		"what-a-scan-cannot-see": "scan-findings#what-a-scan-cannot-see",
	},
}

// removed are the pages whose content other pages have now, each with the place of its content.
var removed = map[string]string{
	"performance-aims":      "performance#start-memory-and-size",
	"performance-method":    "performance#how-it-is-measured",
	"performance-postgres":  "performance#requests",
	"performance-rest":      "performance#the-deprecated-interface",
	"performance-sqlite":    "performance#requests",
	"reliability-attacks":   "reliability#what-is-promised",
	"reliability-figures":   "reliability#what-was-measured",
	"reliability-histories": "reliability#how-it-is-measured",
	"reliability-measured":  "reliability#how-it-is-measured",
	"reliability-outages":   "reliability#what-is-promised",
	"reliability-standby":   "reliability#what-was-measured",
	"scaling-engines":       "scaling#other-engines",
	"scaling-growth":        "scaling#what-a-request-costs-when-there-is-more-in-the-database",
	"scaling-partitions":    "engineering#why-no-table-is-partitioned-by-time",
	"scaling-sharding":      "scaling#past-one-primary",
	"scaling-standby":       "scaling#reads-from-a-standby",
	"scaling-tests":         "scaling#run-the-suite-on-an-engine",
}

// Successor is the page that has the content of a removed one, and the anchor of its place. ok is false if the site does not show it.
func (s *Site) Successor(name string) (page *Doc, anchor string, ok bool) {
	successor, anchor, _ := strings.Cut(removed[name], "#")
	page, ok = s.Doc(successor)
	return page, anchor, ok
}

// pageName is the key under which the parser's context has the name of the page.
var pageName = parser.NewContextKey()

// keepAnchor marks the place of a link if a section of the page moved to the link's destination. The first such link is marked.
func keepAnchor(page string, link *ast.Link, marked map[string]bool) {
	for anchor, target := range moved[page] {
		if docPath(target) == string(link.Destination) && !marked[anchor] {
			marked[anchor] = true
			entry(link).SetAttributeString("id", []byte(anchor))
		}
	}
}

// entry is the entry of a list, or the row of a table, that a link is in. Elsewhere it is the link itself.
func entry(link ast.Node) ast.Node {
	for node := link.Parent(); node != nil; node = node.Parent() {
		if kind := node.Kind(); kind == ast.KindListItem || kind == tables.KindTableRow {
			if _, taken := node.AttributeString("id"); !taken {
				return node
			}
		}
	}
	return link
}
