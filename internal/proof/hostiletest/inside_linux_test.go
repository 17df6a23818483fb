package hostiletest

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/v1/outbound/outboundtest"
)

// The one address that may be called, and its name, which is in the certificate of every httptest.Server.
const (
	publicAddress = "93.184.216.34"
	publicName    = "example.com"
	otherPort     = "8443" // of the targets that name a port
)

// endedLimit is how long an attempt or a publication may take to end.
const endedLimit = 30 * time.Second

// TestNoForbiddenAddressIsReached runs in a network in which every address is this machine's and something listens at each, the
// metadata service of a cloud, a private network and loopback included. The program runs with the settings of production. A seller names
// forbidden targets in every way there is, and one public target, which redirects to forbidden ones. Only the public target may have
// visitors. It takes rights that not every machine gives, so it runs only at length.
func TestNoForbiddenAddressIsReached(t *testing.T) {
	if !*long || !blackbox.Inside(t, "-long") {
		return
	}
	everywhere(t)
	public := netip.MustParseAddr(publicAddress)
	canaries := []*canary{newCanary(t, "443", public), newCanary(t, "80", netip.Addr{}), newCanary(t, otherPort, netip.Addr{})}
	for _, c := range canaries[1:] {
		go c.countAll()
	}
	targets := outboundtest.ForbiddenTargets(otherPort)
	serve(t, canaries[0], targets)
	answering := checkAnswering(t, canaries, targets)
	dns := outboundtest.NewFakeDNSAt(t, "[::]:53") // where the system's resolver asks, whatever address it has
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			dns.Answer(public)
			s := blackbox.NewServer(t, database.url(t)).With("--allow-private-targets=false")
			s.Start(t)
			i := &intruder{T: t, seller: blackbox.NewSeller(t, s, "mallory"), targets: targets, dns: dns, public: public}
			i.createAndPatch()
			i.send()
			i.redirect()
			i.images()
			hits := 0
			for _, c := range canaries {
				for _, at := range c.take(t) {
					hits++
					t.Errorf("a connection arrived at %s", at)
				}
			}
			blackbox.Record(t, blackbox.Figure{
				Number: "S1", What: fmt.Sprintf("%d forbidden targets, %d addresses among them answer, as webhook at create, PATCH, send and redirect, and as image, %s",
					len(targets), answering, database.name),
				Aim:      "0 hits, one error code each, no address in any answer",
				Measured: fmt.Sprintf("%d hits, %d requests and calls refused, %d calls of the public target", hits, i.refused, i.arrived),
				Reached:  !t.Failed() && i.arrived > 0,
			})
		})
	}
}

// serve is the public target: it takes deliveries, has a picture, and redirects /to/N to the Nth target.
func serve(t *testing.T, listener net.Listener, targets []outboundtest.Target) {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	kinds := []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/to/")); err == nil {
			w.Header()["Location"] = []string{targets[n].URL}
			w.WriteHeader(kinds[n%len(kinds)])
			return
		}
		_, _ = w.Write(picture.Bytes())
	}))
	server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", authority) // which the program trusts instead of the system's
}

// checkAnswering calls the addresses among the targets itself, and says how many answer. So the test could see a visit there.
func checkAnswering(t *testing.T, canaries []*canary, targets []outboundtest.Target) int {
	t.Helper()
	addresses := map[netip.Addr]bool{}
	for _, target := range targets {
		for _, addr := range target.Addrs {
			addresses[addr] = true
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(target.URL, "https://"), "/")
		if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			addresses[addr] = true
		}
	}
	for _, c := range canaries {
		for addr := range addresses {
			conn, err := net.DialTimeout("tcp", net.JoinHostPort(addr.String(), portOf(c)), time.Second)
			if err == nil {
				conn.Close()
			}
		}
	}
	visited := map[netip.Addr]bool{}
	for _, c := range canaries {
		for _, at := range c.take(t) {
			visited[at.Addr().Unmap()] = true
		}
	}
	for _, known := range []string{"127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "fd00:ec2::254"} {
		if !visited[netip.MustParseAddr(known)] {
			t.Errorf("nothing answers at %s", known)
		}
	}
	return len(visited)
}

// intruder is a seller who tries to reach the operator's network.
type intruder struct {
	*testing.T
	seller  *blackbox.Seller
	targets []outboundtest.Target
	dns     *outboundtest.FakeDNS
	public  netip.Addr

	hook             string // a webhook to the public target
	refused, arrived int
}

// ask sends a request, whose answer may not hold the target's address.
func (i *intruder) ask(method, path string, body any, target *outboundtest.Target) blackbox.Answer {
	i.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			i.Fatal(err)
		}
	}
	got, err := i.seller.Do(method, path, "", text)
	if err != nil {
		i.Fatal(err)
	}
	answer := strings.ReplaceAll(string(got.Errors)+string(got.Data), target.URL, "") // which a webhook shows, as the seller gave it
	for _, addr := range target.Addrs {
		if strings.Contains(answer, addr.String()) && len(addr.String()) > len("::1") {
			i.Errorf("%s: the answer to %s %s has the address %s: %s", target.URL, method, path, addr, answer)
		}
	}
	return got
}

// refuse sends a request that must be refused with one code, without a word of the target.
func (i *intruder) refuse(method, path string, body any, target *outboundtest.Target, code string) {
	i.Helper()
	got := i.ask(method, path, body, target)
	if got.Status != http.StatusUnprocessableEntity || strings.Count(string(got.Errors), `"code"`) != 1 || !strings.Contains(string(got.Errors), `"`+code+`"`) {
		i.Errorf("%s: %s %s is answered %d %s", target.URL, method, path, got.Status, got.Errors)
	}
	if strings.Contains(string(got.Errors), target.URL) {
		i.Errorf("%s: the answer repeats it: %s", target.URL, got.Errors)
	}
	i.refused++
}

// createAndPatch names each target that is refused by its text, and makes the webhook to the public target.
func (i *intruder) createAndPatch() {
	i.Helper()
	i.hook = blackbox.Call[blackbox.Webhook](i, i.seller.Client, http.MethodPost, "/v1/webhooks", map[string]any{"url": "https://" + publicName + "/hook"}).ID
	for n := range i.targets {
		target := &i.targets[n]
		if target.NeedsResolver {
			continue
		}
		body := map[string]any{"url": target.URL}
		i.refuse(http.MethodPost, "/v1/webhooks", body, target, "invalid_webhook_url")
		i.refuse(http.MethodPatch, "/v1/webhooks/"+i.hook, body, target, "invalid_webhook_url")
	}
	i.arrives()
}

// arrives sends a sample to the public target, which arrives.
func (i *intruder) arrives() {
	i.Helper()
	i.dns.Answer(i.public)
	i.point("https://" + publicName + "/hook")
	if got := i.sample(&outboundtest.Target{}); got.Status != "succeeded" {
		i.Errorf("the delivery to the public target %s with %+v", got.Status, got.Error)
	}
	i.arrived++
}

// point changes where the webhook goes.
func (i *intruder) point(url string) {
	i.Helper()
	blackbox.Call[blackbox.Webhook](i, i.seller.Client, http.MethodPatch, "/v1/webhooks/"+i.hook, map[string]any{"url": url})
}

// sample sends a sample to the webhook, and returns the attempt when it has ended.
func (i *intruder) sample(target *outboundtest.Target) (ended blackbox.Delivery) {
	i.Helper()
	sent := i.ask(http.MethodPost, "/v1/webhooks/"+i.hook+"/test", nil, target)
	if sent.Status != http.StatusAccepted {
		i.Fatalf("%s: send a sample: %d %s", target.URL, sent.Status, sent.Errors)
	}
	blackbox.Eventually(i, endedLimit, "a sample is sent", func() bool {
		i.ask(http.MethodGet, "/v1/webhook-deliveries?limit=1", nil, target)
		log := blackbox.Call[struct{ Results []blackbox.Delivery }](i, i.seller.Client, http.MethodGet, "/v1/webhook-deliveries?limit=1", nil).Results
		ended = log[0]
		return ended.Status != "scheduled" && ended.Status != "sending"
	})
	return ended
}

// send sends to names that look harmless and lead to forbidden addresses. The webhook gets them by PATCH.
func (i *intruder) send() {
	i.Helper()
	for n := range i.targets {
		if target := &i.targets[n]; target.NeedsResolver {
			i.dns.Answer(target.Addrs...)
			i.point(target.URL)
			i.checkFailed(target, "blocked_target")
		}
	}
	i.arrives()
}

// redirect has the public target redirect to every other one.
func (i *intruder) redirect() {
	i.Helper()
	for n := range i.targets {
		target := &i.targets[n]
		i.dns.Divert(publicName+".", i.public, target.Addrs...)
		i.point(fmt.Sprintf("https://%s/to/%d", publicName, n))
		i.checkFailed(target, "redirect")
	}
	i.arrives()
}

func (i *intruder) checkFailed(target *outboundtest.Target, code string) {
	i.Helper()
	if got := i.sample(target); got.Status != "failed" || got.Error == nil || got.Error.Code != code {
		i.Errorf("%s: the delivery %s with %+v", target.URL, got.Status, got.Error)
	}
	i.refused++
}

// images offers every target as a picture: by its own address, and by a redirect from the public target.
func (i *intruder) images() {
	i.Helper()
	submit := func(url string) map[string]any {
		item := blackbox.Item("picture")
		item["images"] = []string{url}
		return item
	}
	for n := range i.targets {
		target := &i.targets[n]
		if !target.NeedsResolver {
			i.refuse(http.MethodPost, "/v1/items", submit(target.URL), target, "invalid_image_url")
		} else {
			i.dns.Answer(target.Addrs...)
			i.checkRejected(submit(target.URL), target)
		}
		redirect := &url.URL{Scheme: "https", Host: publicName, Path: fmt.Sprintf("/to/%d", n)}
		if to, err := redirect.Parse(target.URL); err == nil && to.Host == publicName {
			continue // as a redirect it leads back to the public target
		}
		i.dns.Divert(publicName+".", i.public, target.Addrs...)
		i.checkRejected(submit(redirect.String()), target)
	}
	i.dns.Answer(i.public)
	if got := i.publish(submit("https://"+publicName+"/good.png"), &outboundtest.Target{}); got.Status != "published" {
		i.Errorf("an item with a picture at the public target is %s: %+v", got.Status, got.Errors)
	}
	i.arrived++
}

// outcome is what became of a submission.
type outcome struct {
	Status string
	Errors []struct{ Code string }
}

func (i *intruder) checkRejected(item map[string]any, target *outboundtest.Target) {
	i.Helper()
	got := i.publish(item, target)
	if got.Status != "rejected" || len(got.Errors) != 1 || got.Errors[0].Code != "images_unreachable" {
		i.Errorf("%s: the item with this picture is %+v", target.URL, got)
	}
	i.refused++
}

func (i *intruder) publish(item map[string]any, target *outboundtest.Target) (got outcome) {
	i.Helper()
	submission := blackbox.Call[struct{ ID string }](i, i.seller.Client, http.MethodPost, "/v1/items", item)
	blackbox.Eventually(i, endedLimit, "a submission ends", func() bool {
		i.ask(http.MethodGet, "/v1/item-submissions/"+submission.ID, nil, target)
		got = blackbox.Call[outcome](i, i.seller.Client, http.MethodGet, "/v1/item-submissions/"+submission.ID, nil)
		return got.Status == "rejected" || got.Status == "published"
	})
	return got
}
