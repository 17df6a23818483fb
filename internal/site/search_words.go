package site

import "strings"

// StopWords are in so many sentences that they say nothing about what is looked for.
var StopWords = strings.Fields("a about after an and any are as at be by can do does for from get have how i in is it its me my of on or our something the their there this to " +
	"was what when where which who why will with you your")

// alsoMeant has words that people use for what the pages call otherwise.
var alsoMeant = map[string][]string{
	"picture": {"image"}, "photo": {"image"},
	"relist": {"restart"}, "resell": {"restart"},
	"delete": {"close", "remove"}, "remove": {"close", "delete"}, "withdraw": {"close"}, "end": {"close"}, "unlist": {"close"},
	"listing": {"item"}, "product": {"item"}, "update": {"change"},
	"refused": {"rejected"}, "declined": {"rejected"},
	"order": {"sale"}, "customer": {"buyer"}, "parcel": {"tracking"}, "invoice": {"bill"},
}

// alsoFoundBy has words by which people look for a page of docs, and which neither its title nor its line in the list of pages has: those
// of other services, and names of products.
var alsoFoundBy = map[string]string{
	"start":                "quick start, tutorial, getting started, first request, curl",
	"authentication":       "API key, get a key, token, login, X-Api-Key, 401, unauthorized",
	"requests":             "currency, price, amount, date, time zone, timezone, content type",
	"lists":                "paging, next page, search",
	"limits":               "rate limit, throttling, quota, too many requests",
	"idempotency":          "repeat, duplicates, twice, timeout",
	"images":               "pictures, photos, upload",
	"webhook-receiver":     "raw body, endpoint, order of events",
	"webhook-security":     "verify a signature, secret, HMAC",
	"webhook-recovery":     "polling, poll for changes, missed",
	"webhook-retries":      "failing, disabled, backoff",
	"states":               "status, life cycle",
	"clients":              "SDK, library",
	"import":               "CSV import, spreadsheet, Excel, bulk upload, stock list",
	"import-files":         "decimal comma, price with a comma, encoding",
	"export":               "CSV export, download, backup, tax, accounting, bookkeeping, bulk edit, move",
	"legacy":               "old interface",
	"operating-proxy":      "nginx, HAProxy, load balancer, TLS, https, certificate",
	"deploy":               "Docker, Compose, Kubernetes, image",
	"operating-databases":  "Postgres",
	"operating-buyers":     "GDPR, privacy, delete personal data",
	"operating-monitoring": "Prometheus, metrics, alerts",
	"operating-upgrades":   "update, new version",
}
