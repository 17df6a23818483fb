package server_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// found are the addresses of the results of a search, the best first.
func found(body string) (paths []string) {
	for _, result := range regexp.MustCompile(`<li><a href="([^"]+)">[^<]*</a>\n<p>`).FindAllStringSubmatch(body, -1) {
		paths = append(paths, result[1])
	}
	return paths
}

// TestPeopleFindThePageTheyLookFor asks a server that shows all pages, those for operators and developers too, and expects one of the
// pages about the question, or a section of it, among the first three results.
func TestPeopleFindThePageTheyLookFor(t *testing.T) {
	_, s, _ := logged(t)
	for question, want := range map[string][]string{
		"how to get a key":          {"/docs/authentication", "/docs/start"},
		"API key":                   {"/docs/authentication"},
		"webhook":                   {"/docs/webhooks"},
		"retry":                     {"/docs/idempotency", "/docs/webhook-retries"},
		"rate limit":                {"/docs/limits"},
		"close an item":             {"/docs/reference/items/closeItem"},
		"tracking":                  {"/docs/reference/bills/addTracking", "/docs/reference/bills/browseTrackings", "/docs/reference/bills/getTracking"},
		"images rejected":           {"/docs/images", "/docs/sandbox-images"},
		"pictures":                  {"/docs/images"},
		"csv import":                {"/docs/import"},
		"signature":                 {"/docs/webhook-security", "/docs/signatures"},
		"how do I verify a webhook": {"/docs/webhook-security", "/docs/signatures"},
		"php client":                {"/docs/clients-php"},
		"javascript":                {"/docs/clients-javascript"},
		"client for python":         {"/docs/clients-python"},
		"sandbox":                   {"/docs/sandbox"},
		"reset test data":           {"/docs/sandbox-reset"},
		"test buyers":               {"/docs/sandbox-buyers"},
		"idempotency":               {"/docs/idempotency"},
		"duplicates":                {"/docs/idempotency"},
		"401":                       {"/docs/authentication", "/docs/errors"},
		"429":                       {"/docs/limits"},
		"pagination":                {"/docs/lists"},
		"the next page of a list":   {"/docs/lists"},
		"list an item":              {"/docs/start", "/docs/reference/items/submitItem"},
		"change the price":          {"/docs/changes", "/docs/reference/items/updateItem"},
		"errors":                    {"/docs/errors", "/errors"},
		"error codes":               {"/docs/errors", "/errors"},
		"events":                    {"/docs/webhook-events"},
		"missed events":             {"/docs/webhook-recovery"},
		"the order of events":       {"/docs/webhook-receiver"},
		"secret":                    {"/docs/webhook-security"},
		"rotate the secret":         {"/docs/webhook-security"},
		"cancel a sale":             {"/docs/reference/sales/cancelSale", "/docs/states", "/docs/reference/sandbox/simulateCancellation"},
		"permissions":               {"/docs/authentication"},
		"test mode and live mode":   {"/docs/authentication"},
		"HTML in descriptions":      {"/docs/images"},
		"states of items":           {"/docs/states"},
		"what changed":              {"/docs/changes", "/changelog", "/docs/lists"},
		"change log":                {"/changelog"},
		"the old interface":         {"/docs/legacy", "/migration"},
		"translate a request":       {"/docs/legacy-translate", "/migration/translate"},
		"agents":                    {"/docs/mcp"},
		"bridge on windows":         {"/docs/bridge-windows"},
		"scan":                      {"/docs/scan"},
		"money":                     {"/docs/requests"},
		"backup":                    {"/docs/backup"},
		"postgres":                  {"/docs/operating-databases"},
		"docker":                    {"/docs/deploy"},
		"systemd":                   {"/docs/deploy"},
		"behind a proxy":            {"/docs/operating-proxy"},
		"update the price":          {"/docs/changes", "/docs/reference/items/updateItem"},
		"polling":                   {"/docs/webhook-recovery"},
		"timezone":                  {"/docs/requests"},
		"curl":                      {"/docs/start", "/docs/requests"},
		"a price with a comma":      {"/docs/import-files"},
		"how to upgrade":            {"/docs/operating-upgrades"},
		"forget a buyer":            {"/docs/operating-buyers"},
		"logs":                      {"/docs/operating-log"},
		"metrics":                   {"/docs/operating-monitoring"},
		"delete an item":            {"/docs/reference/items/closeItem", "/migration/item-close"},
		"remove an item":            {"/docs/reference/items/closeItem", "/migration/item-close"},
		"how to close an item early, before it ends": {"/docs/reference/items/closeItem"},
		"how to close an item early":                 {"/docs/reference/items/closeItem"},
		"relist":                                     {"/docs/reference/items/restartItem"},
		"relist an unsold item":                      {"/docs/reference/items/restartItem"},
		"picture rejected":                           {"/docs/images", "/docs/sandbox-images"},
		"photo refused":                              {"/docs/images", "/docs/sandbox-images"},
		"item.sold":                                  {"/docs/webhook-events"},
		"payment.received":                           {"/docs/webhook-events"},
		"webhook.pong":                               {"/docs/webhooks"},
		"sellerd copy":                               {"/docs/operating-copy"},
		"sellerd backup":                             {"/docs/backup"},
		"delete a webhook":                           {"/docs/reference/webhooks/deleteWebhook"},
		"rate limit exceeded please help":            {"/docs/limits"},
	} {
		first := found(get(s.Public, "/search?q="+url.QueryEscape(question)).Body.String())
		first = first[:min(3, len(first))]
		about := func(path string) bool {
			return slices.ContainsFunc(want, func(page string) bool { return path == page || strings.HasPrefix(path, page+"#") })
		}
		if !slices.ContainsFunc(first, about) {
			t.Errorf("%q finds %q, and none of %q", question, first, want)
		}
	}
}

func TestTheFirstResultIsThePageWithTheName(t *testing.T) {
	_, s, _ := logged(t)
	for question, want := range map[string]string{
		"webhook": "/docs/webhooks", "webhooks": "/docs/webhooks", "the sandbox": "/docs/sandbox", "client": "/docs/clients", "state": "/docs/states",
		"errors": "/docs/errors", "scaling": "/docs/scaling", "deliveries": "/docs/webhook-deliveries", "item_has_bids": "/errors/item_has_bids", "is it": "",
	} {
		first := append(found(get(s.Public, "/search?q="+url.QueryEscape(question)).Body.String()), "")[0]
		if want != "" && first != want || want == "" && first == "" {
			t.Errorf("%q finds %s first, want %s", question, first, want)
		}
	}
}

// A word too many, or another word for the same, must not lead to a page that is further from the question.
func TestTheNearerPageComesFirst(t *testing.T) {
	_, s, _ := logged(t)
	for question, want := range map[string][2]string{ // the nearer one, and the one after it
		"delete an item":             {"/docs/reference/items/closeItem", "/docs/operating-buyers"},
		"how to close an item early": {"/docs/reference/items/closeItem", "/migration/new"},
	} {
		paths := found(get(s.Public, "/search?q="+url.QueryEscape(question)).Body.String())
		nearer, further := slices.Index(paths, want[0]), slices.Index(paths, want[1])
		if nearer < 0 || further >= 0 && further < nearer {
			t.Errorf("%q finds %q, want %q before %q", question, paths, want[0], want[1])
		}
	}
}
