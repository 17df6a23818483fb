package demoseller

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"sellerd/internal/demo"
	"sellerd/translate"
)

// demoCategory is a selectable category for the first curl line.
const demoCategory = "1010101"

// demoPages are the pages to begin with, and what is on them.
var demoPages = []struct{ path, shows string }{
	{"/", "what this is, and where to go"},
	{"/docs/start", "the first item, from the key to the parcel"},
	{"/docs", "every operation of /v1, with examples"},
	{translate.GuidePath, "how to move from /rest to /v1, call by call"},
	{"/changelog", "what each release changed"},
	{"/errors", "what each error code means"},
}

// welcome prints how to begin: the keys, the first requests, the pages.
func (d Seller) welcome(keys demoKeys) error {
	images := ""
	if d.Images {
		images = fmt.Sprintf(`,"images":[%q]`, d.BaseURL+"/demo/images/"+demo.ImageNames()[0])
	}
	_, err := fmt.Fprintf(d.Out, `
  The seller API is at %[1]s

  live key   %[2]s
  test key   %[3]s

  List an item; it is published usually within a second, at most 15 minutes later:

    curl -s %[1]s/v1/items -H 'X-Api-Key: %[3]s' -H 'Content-Type: application/json' \
      -d '{"title":"France 1849, 20c black Ceres","category_id":"%[4]s","sale_type":"fixed_price","price":{"amount":"45.00","currency":"EUR"},"personal_reference":"CERES-20C"%[5]s}'

  See it:

    curl -s '%[1]s/v1/items?personal_reference=CERES-20C' -H 'X-Api-Key: %[3]s'

  Open in a browser:

`, d.BaseURL, keys.Live, keys.Test, demoCategory, images)
	table := tabwriter.NewWriter(d.Out, 0, 0, 3, ' ', 0)
	for _, page := range demoPages {
		fmt.Fprintf(table, "    %s%s\t%s\n", d.BaseURL, page.path, page.shows)
	}
	fmt.Fprintf(table, "    %s/metrics\twhat the operator measures, for Prometheus\n\n", d.OperatorURL)
	return errors.Join(err, table.Flush())
}
