package browsertest

import (
	"testing"

	"github.com/chromedp/cdproto/network"
)

// slow4G is a connection as measurements of pages assume it: a round trip of 150 ms, 1.6 Mbit/s down and 750 kbit/s up.
var slow4G = &network.Conditions{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 750e3 / 8}

// firstPaint is when the first text or picture was shown, in milliseconds since the page was asked for.
const firstPaint = `new Promise(done => new PerformanceObserver(list => {
	const paint = list.getEntriesByName('first-contentful-paint')[0];
	if (paint) done(paint.startTime);
}).observe({type: 'paint', buffered: true}))`

// mostPaint is how late the first paint may be, in milliseconds. It is 500 on a machine that does nothing else.
const mostPaint = 750

// TestPagesPaintSoonOnSlow4G opens the pages that readers see first on a phone with a slow connection, which has nothing of the site. Of three
// times the shortest counts, because other tests run at the same time.
func TestPagesPaintSoonOnSlow4G(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/docs/start", "/migration", "/docs"} {
		best := 1e9
		for range 3 {
			p := newTab(t, s.url)
			p.on(t, phone)
			call(t, p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
			call(t, p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{slow4G}})
			p.open(t, s.url+path)
			best = min(best, eval[float64](t, p, firstPaint))
			p.close()
		}
		t.Logf("%-12s %4.0f ms", path, best)
		if best > mostPaint {
			t.Errorf("%s is first painted after %.0f ms, later than %d", path, best, mostPaint)
		}
	}
}
