package v1_test

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// tradeHistories is how many histories a test draws unless -rapid.checks asks for a number.
const tradeHistories = 5

func TestWhateverSellerAndBuyersDoTheBooksBalance(t *testing.T) {
	afterHistories(t, (*tradeHistory).checkEvents)
}

// afterHistories draws what sellers and buyers do, each time with a new seller, and checks what has come of it. The books
// are balanced after every step.
func afterHistories(t *testing.T, check func(h *tradeHistory)) {
	limited := true
	flag.Visit(func(f *flag.Flag) { limited = limited && f.Name != "rapid.checks" })
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sellers, passed, failed := 0, 0, false
		rapid.Check(t, func(rt *rapid.T) {
			if limited && passed == tradeHistories && !failed {
				return
			}
			failed = true // unless we get to the end
			sellers++
			account, key, _ := w.Seller(t, fmt.Sprintf("trader-%d", sellers))
			h := &tradeHistory{market: market{t, w, key}, rt: rt, owner: v1.OwnerOf(account, true)}
			for range rapid.IntRange(20, 60).Draw(rt, "steps") {
				h.step()
			}
			check(h)
			failed = false
			passed++
		})
	})
}

// tradeHistory is what goes on between a seller and the buyers, as a test draws it.
type tradeHistory struct {
	market
	rt    *rapid.T
	owner v1.Owner
	books
}

// draw picks one of some values.
func draw[T any](h *tradeHistory, what string, from []T) T {
	return rapid.SampledFrom(from).Draw(h.rt, what)
}

// suiting picks one that something can be done to, or now and then any.
func suiting[T any](h *tradeHistory, what string, from []T, suits func(T) bool) T {
	var suited []T
	for _, one := range from {
		if suits(one) {
			suited = append(suited, one)
		}
	}
	if len(suited) == 0 || draw(h, "any "+what, []bool{false, false, false, true}) {
		suited = from
	}
	return draw(h, what, suited)
}

// item picks an item of a sale type, "" for either, in one of some states.
func (h *tradeHistory) item(saleType string, states ...string) string {
	return suiting(h, "item", h.Items, func(item itemView) bool {
		return slices.Contains(states, item.Status) && (saleType == "" || item.SaleType == saleType)
	}).ID
}

func (h *tradeHistory) sale(cancellations ...string) string {
	return suiting(h, "sale", h.Sales, func(sale saleView) bool { return slices.Contains(cancellations, sale.Cancellation.Status) }).ID
}

func (h *tradeHistory) bill(states ...string) string {
	return suiting(h, "bill", h.Bills, func(bill billView) bool { return slices.Contains(states, bill.Status) }).ID
}

func (h *tradeHistory) buyer() map[string]any {
	return someBuyer(draw(h, "buyer", []string{"karl", "lena", "mona"}))
}

func (h *tradeHistory) price() map[string]any {
	return euros(draw(h, "price", []string{"1.00", "9.99", "12.50", "49.99", "300.00"}))
}

// step does one thing and looks what became of it.
func (h *tradeHistory) step() {
	kinds := []string{"list"}
	if len(h.Items) > 0 {
		kinds = append(kinds, "list", "buy", "buy", "buy", "buy", "bid", "bid", "end", "close", "restart", "patch", "wait", "wait")
	}
	if len(h.Sales) > 0 {
		kinds = append(kinds, "invoice", "invoice", "pay", "pay", "send", "track", "rate", "request", "request", "accept", "refuse")
	}
	switch kind := draw(h, "step", kinds); kind {
	case "list":
		h.list()
	case "wait":
		h.wait()
	default:
		answer := h.do(kind)
		before := h.books
		h.look()
		if answer.Status >= 500 || answer.Status == http.StatusNotFound {
			h.rt.Fatalf("%s: %d %s", kind, answer.Status, answer.Body)
		}
		if diff := cmp.Diff(before, h.books); answer.Status >= 400 && diff != "" {
			h.rt.Fatalf("%s was refused (%s), but changed something (-before +after):\n%s", kind, answer.Body, diff)
		}
	}
}

// look reads the books anew and follows what has moved.
func (h *tradeHistory) look() {
	after := h.readBooks(h.rt)
	h.books.moves(h.rt, &after)
	h.books = after
}

// do makes a request that may be refused.
func (h *tradeHistory) do(kind string) servertest.Response {
	switch kind {
	case "buy":
		return h.post("/v1/test/items/"+h.item("fixed_price", "open")+"/purchase", map[string]any{"buyer": h.buyer(), "quantity": rapid.IntRange(1, 3).Draw(h.rt, "quantity")})
	case "bid":
		return h.post("/v1/test/items/"+h.item("auction", "open")+"/bids", map[string]any{"buyer": h.buyer(), "amount": h.price()})
	case "end":
		return h.end(h.item("", "open"))
	case "close":
		return h.post("/v1/items/"+h.item("", "open", "scheduled")+"/close", nil)
	case "restart":
		return h.post("/v1/items/"+h.item("", "closed", "unsold")+"/restart", nil)
	case "patch":
		change := map[string]any{"quantity": rapid.IntRange(1, 6).Draw(h.rt, "quantity")}
		if rapid.Bool().Draw(h.rt, "price") {
			change = map[string]any{"price": h.price()}
		}
		return h.w.Do(h.T, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + h.item("fixed_price", "open"), Body: change, Key: h.key})
	case "invoice":
		return h.invoice(h.bill("to_invoice"), nil)
	case "pay":
		return h.pay(h.bill("awaiting_payment"), nil)
	case "send":
		return h.post("/v1/bills/"+h.bill("to_send")+"/mark-sent", nil)
	case "track":
		number := fmt.Sprintf("RR%09dBE", rapid.IntRange(1, 3).Draw(h.rt, "number"))
		return h.post("/v1/bills/"+h.bill("to_send", "sent")+"/trackings", map[string]any{"delivery_service_id": "142", "number": number})
	case "rate":
		return h.post("/v1/sales/"+h.sale("none", "cancelled")+"/rating", map[string]any{"score": draw(h, "score", []int{100, 50, 25, 0})})
	case "request":
		return h.decide(h.sale("none", "refused"), kind)
	case "accept":
		return h.decide(h.sale("none", "requested"), kind)
	default:
		return h.decide(h.sale("requested"), "refuse")
	}
}

// list puts an item on sale, now or in two days.
func (h *tradeHistory) list() {
	change := map[string]any{"renewals": draw(h, "renewals", []int{0, 1}), "weight_grams": 20}
	if rapid.Bool().Draw(h.rt, "later") {
		change["starts_at"] = h.w.Clock.Now().Add(48 * time.Hour).Format(time.RFC3339)
	}
	item := servertest.FixedPrice(change, map[string]any{"quantity": rapid.IntRange(1, 4).Draw(h.rt, "quantity"), "price": h.price()})
	if rapid.Bool().Draw(h.rt, "auction") {
		item = servertest.Auction(change)
		if rapid.Bool().Draw(h.rt, "reserve") {
			item["reserve_price"] = euros("20.00")
		}
	}
	listFor(h.T, h.w, h.key, item)
	h.look()
}

// wait lets time pass, and the closer come, which may move an item more than once.
func (h *tradeHistory) wait() {
	h.w.Clock.Advance(draw(h, "wait", []time.Duration{time.Minute, 25 * time.Hour, 8 * 24 * time.Hour, 61 * 24 * time.Hour}))
	for {
		n, err := h.w.Service.CloseDueOnce(h.Context())
		if err != nil {
			h.rt.Fatalf("close due items: %v", err)
		}
		h.look()
		if n == 0 {
			return
		}
	}
}

// checkEvents compares each resource's events with the numbers from 1 on.
func (h *tradeHistory) checkEvents() {
	last := map[string]int64{}
	for _, told := range outbox(h.T, h.w, int64(h.owner)) {
		resource := fmt.Sprint(told.ResourceType, " ", told.ResourceID)
		if told.Sequence != last[resource]+1 {
			h.rt.Fatalf("event %d of %s follows %d", told.Sequence, resource, last[resource])
		}
		last[resource] = told.Sequence
	}
	for _, sale := range h.Sales {
		if told := last["sale "+sale.ID]; (told == 1) != (sale.Status == "cancelled") {
			h.rt.Fatalf("sale %s is %s and has %d events", sale.ID, sale.Status, told)
		}
	}
	for _, bill := range h.Bills {
		if told := last["bill "+bill.ID]; (told == 1) != (bill.Payment.Status != "pending") {
			h.rt.Fatalf("the payment of bill %s is %s, but it has %d events", bill.ID, bill.Payment.Status, told)
		}
	}
}
