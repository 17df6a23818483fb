package browsertest

import (
	"testing"

	"github.com/chromedp/cdproto/network"
)

// slow4G is a connection as measurements of pages assume it: a round trip of 150 ms, 1.6 Mbit/s down and 750 kbit/s up.
var slow4G = &network.Conditions{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 750e3 / 8}

// painted waits for the first text or picture of a page. It tells when that was, in milliseconds since the page was asked for, and what the browser
// had asked for by then: in how many steps, each of which waits for the one before, and how many bytes.
const painted = `new Promise(done => new PerformanceObserver(list => {
	const paint = list.getEntriesByName('first-contentful-paint')[0];
	if (!paint) return;
	const page = performance.getEntriesByType('navigation')[0];
	const files = performance.getEntriesByType('resource').filter(file => file.startTime < paint.startTime);
	const blocking = files.filter(file => file.renderBlockingStatus === 'blocking').sort((a, b) => a.startTime - b.startTime);
	let steps = 1, answered = 0;
	for (const file of blocking) {
		if (file.startTime < answered) {
			answered = Math.min(answered, file.responseEnd);
		} else {
			steps++;
			answered = file.responseEnd;
		}
	}
	done({ms: paint.startTime, steps, elements: document.querySelectorAll('*').length, bytes: files.reduce((sum, file) => sum + file.transferSize, page.transferSize)});
}).observe({type: 'paint', buffered: true}))`

// mostOfNetwork is how long a page that is first painted may have waited for the network, in milliseconds. The rest of the time is the browser's,
// and differs from machine to machine: where nothing else runs, these pages are painted after 500 to 600.
const mostOfNetwork = 450

// mostElements is how many elements such a page may have. The browser's time grows with them.
const mostElements = 1500

// TestPagesPaintSoonOnSlow4G opens the pages that readers see first on a phone with a slow connection, which has nothing of the site. It counts what
// the connection makes them wait for, because the time itself tells how busy the machine is.
func TestPagesPaintSoonOnSlow4G(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/docs/start", "/migration", "/docs"} {
		p := newTab(t, s.url)
		p.on(t, phone)
		call(t, p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
		call(t, p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{slow4G}})
		p.open(t, s.url+path)
		first := eval[struct{ MS, Steps, Bytes, Elements float64 }](t, p, painted)
		p.close()
		waited := first.Steps*slow4G.Latency + first.Bytes/slow4G.DownloadThroughput*1000
		t.Logf("%-12s %4.0f ms of the network: %.0f steps and %5.0f bytes; %4.0f elements; painted after %4.0f ms",
			path, waited, first.Steps, first.Bytes, first.Elements, first.MS)
		if first.MS < waited/2 {
			t.Errorf("%s is painted after %.0f ms: the connection is not slow", path, first.MS)
		}
		if waited > mostOfNetwork {
			t.Errorf("%s waits %.0f ms for the network before its first paint, longer than %d", path, waited, mostOfNetwork)
		}
		if first.Elements > mostElements {
			t.Errorf("%s has %.0f elements, more than %d", path, first.Elements, mostElements)
		}
	}
}
