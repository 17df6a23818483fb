package v1_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
	"sellerd/v1/wire"
)

// withoutBuyers is what a key permits that lacks nothing but the permission to read buyers.
const withoutBuyers = permission.All &^ permission.BuyersRead

// whatIsHidden are the members of a sale or a bill that such a key gets as null.
var whatIsHidden = []string{
	"buyer.email", "buyer.first_name", "buyer.last_name", "buyer.phone", "shipping_address.city", "shipping_address.country", "shipping_address.line1",
	"shipping_address.line2", "shipping_address.name", "shipping_address.phone", "shipping_address.postal_code", "shipping_address.state",
}

// nulled compares two objects: it returns the members that are null only in the second one, and fails for every other difference.
func nulled(t *testing.T, place string, whole, seen any) (list []string) {
	t.Helper()
	if members, ok := whole.(object); ok && seen != nil {
		other, ok := seen.(object)
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(members)), slices.Sorted(maps.Keys(other))) {
			t.Errorf("%s: %v in the place of %v", place, seen, whole)
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			list = append(list, nulled(t, strings.TrimPrefix(place+"."+name, "."), members[name], other[name])...)
		}
		return list
	}
	switch {
	case reflect.DeepEqual(whole, seen):
		return nil
	case seen == nil:
		return []string{place}
	}
	t.Errorf("%s: %v in the place of %v", place, seen, whole)
	return nil
}

// asTheOther asks for an object with the seller's key, and with another one, and returns the members that only the other one gets as null.
func asTheOther(t *testing.T, w *servertest.World, key, path string) []string {
	t.Helper()
	return nulled(t, "", servertest.Into[any](t, w.Do(t, servertest.Request{Path: path})), servertest.Into[any](t, w.Do(t, servertest.Request{Path: path, Key: key})))
}

// below are names of members of a part of an object.
func below(place string, names []string) (list []string) {
	for _, name := range names {
		list = append(list, place+name)
	}
	return list
}

func TestAKeyWithoutThePermissionReadsNoBuyers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		sold := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", object{"buyer": buyerZoe()})
		for _, step := range []string{"invoice", "pay"} {
			simulate[object](t, w, "/bills/"+sold.BillID+"/"+step, nil)
		}
		key := w.LesserKey(t, withoutBuyers)
		for _, path := range []string{"/v1/sales/" + sold.ID, "/v1/bills/" + sold.BillID} {
			if diff := cmp.Diff(whatIsHidden, asTheOther(t, w, key, path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		for _, path := range []string{"/v1/sales", "/v1/bills", "/v1/sales?sort=sold_at_desc", "/v1/bills?sale_id=" + sold.ID} {
			whole := servertest.Into[page](t, w.Do(t, servertest.Request{Path: path})).Results
			seen := servertest.Into[page](t, w.Do(t, servertest.Request{Path: path, Key: key})).Results
			if len(whole) != 1 || len(seen) != 1 {
				t.Fatalf("%s has %d and %d", path, len(whole), len(seen))
			}
			if diff := cmp.Diff(whatIsHidden, nulled(t, "", whole[0], seen[0])); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		members := map[string]string{"item.sold": "data.sale.", "payment.received": "data.bill."}
		for name, place := range members {
			path := "/v1/events?type=" + name
			whole := servertest.Into[page](t, w.Do(t, servertest.Request{Path: path})).Results
			seen := servertest.Into[page](t, w.Do(t, servertest.Request{Path: path, Key: key})).Results
			if len(whole) != 1 || len(seen) != 1 {
				t.Fatalf("%s has %d and %d", path, len(whole), len(seen))
			}
			if diff := cmp.Diff(below(place, whatIsHidden), nulled(t, "", whole[0], seen[0])); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			if diff := cmp.Diff(below(place, whatIsHidden), asTheOther(t, w, key, "/v1/events/"+whole[0]["id"].(string))); diff != "" {
				t.Errorf("%s alone (-want +got):\n%s", name, diff)
			}
		}
		all := servertest.Into[page](t, w.Do(t, servertest.Request{Path: "/v1/events", Key: key})).Results
		if len(all) < 3 {
			t.Errorf("the feed of all events has %d", len(all))
		}
		// A key with the permission, and no other than to read, sees what the seller's key sees.
		reads := w.LesserKey(t, permission.Reads|permission.BuyersRead)
		for _, path := range []string{"/v1/sales/" + sold.ID, "/v1/bills/" + sold.BillID, "/v1/events"} {
			if diff := cmp.Diff([]string(nil), asTheOther(t, w, reads, path)); diff != "" {
				t.Errorf("%s with the permission (-want +got):\n%s", path, diff)
			}
		}
	})
}

// TestNothingShowsBuyersToAKeyWithoutThePermission sells to zoe with the seller's key, and then asks for everything with another one, also
// for what was answered to the seller's key under an Idempotency-Key.
func TestNothingShowsBuyersToAKeyWithoutThePermission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		plantZoe(t, w)
		key := w.LesserKey(t, withoutBuyers)
		var spellings [][]byte
		for _, text := range zoesTraces[1:] { // without the nickname
			spellings = append(spellings, servertest.Spellings(text)...)
		}
		looked := 0
		look := func(r servertest.Request) servertest.Response {
			t.Helper()
			r.Key = key
			got := w.Do(t, r)
			answer := bytes.ToLower([]byte(fmt.Sprint(got.Header) + got.Body))
			for _, spelling := range spellings {
				if bytes.Contains(answer, spelling) {
					t.Errorf("%s %s has %q: %d %s", r.Method, r.Path, spelling, got.Status, got.Body)
					break
				}
			}
			looked++
			return got
		}
		for _, list := range []string{"/v1/sales", "/v1/bills", "/v1/items", "/v1/events", "/v1/webhook-deliveries", "/v1/webhooks"} {
			got := servertest.Into[page](t, look(servertest.Request{Path: list + "?limit=200"}))
			if len(got.Results) == 0 {
				t.Fatalf("%s has none", list)
			}
			for _, one := range got.Results {
				look(servertest.Request{Path: list + "/" + one["id"].(string)})
			}
			if list == "/v1/sales" || list == "/v1/bills" {
				for _, one := range got.Results {
					look(servertest.Request{Path: list + "/" + one["id"].(string) + map[string]string{"/v1/sales": "/rating", "/v1/bills": "/trackings"}[list]})
				}
			}
		}
		stored := w.Count(t, "idempotency_keys", "buyer_id > 0")
		replayed := 0
		w.EachRow(t, "SELECT id FROM items ORDER BY id", func(values []any) {
			for _, name := range []string{"purchase", "another-purchase"} {
				got := look(servertest.Keyed(name, fmt.Sprintf("/v1/test/items/%v/purchase", values[0]), object{"buyer": buyerZoe()}))
				if got.Header.Get("Idempotent-Replayed") == "true" {
					replayed++
				}
			}
		})
		if looked < 40 || stored == 0 || replayed != 2 {
			t.Errorf("%d answers were looked at, %d answers with a buyer were stored, %d of them were repeated", looked, stored, replayed)
		}
	})
}

func TestAStoredAnswerIsShownAsTheKeyMaySeeIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		lesser := w.LesserKey(t, withoutBuyers)
		for name, first := range map[string]string{"stored by the seller's key": w.Key, "stored by the other key": lesser} {
			t.Run(name, func(t *testing.T) {
				path := "/v1/test/items/" + w.List(t, servertest.FixedPrice()) + "/purchase"
				purchase := servertest.Keyed("purchase-"+first[8:20], path, object{"buyer": buyerZoe()})
				said := map[string]servertest.Response{}
				for _, key := range []string{first, w.Key, lesser} {
					purchase.Key = key
					said[key] = w.Do(t, purchase)
				}
				whole, seen := said[w.Key], said[lesser]
				if whole.Header.Get("Idempotent-Replayed") != "true" || seen.Header.Get("Idempotent-Replayed") != "true" {
					t.Fatalf("%d %s, %d %s", whole.Status, whole.Body, seen.Status, seen.Body)
				}
				if diff := cmp.Diff(whatIsHidden, nulled(t, "", servertest.Into[any](t, whole), servertest.Into[any](t, seen))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				shown := servertest.Into[object](t, whole)["shipping_address"].(object)["line1"]
				if shown != "Zqstraße 7" {
					t.Errorf("the seller's key sees the address %v", shown)
				}
			})
		}
	})
}

// TestTheEntityTagIsThatOfWhatTheKeySees changes a bill and a sale with the tags that a key has read.
func TestTheEntityTagIsThatOfWhatTheKeySees(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		lesser := w.LesserKey(t, withoutBuyers)
		sold := simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", object{"buyer": buyerZoe()})
		bill, sale := "/v1/bills/"+sold.BillID, "/v1/sales/"+sold.ID
		tag := func(key, path string) string {
			return w.Do(t, servertest.Request{Path: path, Key: key}).Header.Get("ETag")
		}
		change := func(key, path, tag string) servertest.Response {
			return w.Do(t, servertest.Request{Method: http.MethodPost, Path: path, Key: key, Header: map[string]string{"If-Match": tag}})
		}
		if tag(w.Key, bill) == tag(lesser, bill) || tag(w.Key, sale) == tag(lesser, sale) {
			t.Error("two keys that see other things get one tag")
		}
		if got := change(lesser, "/v1/test/bills/"+sold.BillID+"/invoice", tag(w.Key, bill)); got.Status != http.StatusPreconditionFailed {
			t.Errorf("with the tag of another key: %d %s", got.Status, got.Body)
		}
		invoiced := change(lesser, "/v1/test/bills/"+sold.BillID+"/invoice", tag(lesser, bill))
		if invoiced.Status != http.StatusOK || invoiced.Header.Get("ETag") != tag(lesser, bill) {
			t.Errorf("with its own: %d %s, tag %s, then read %s", invoiced.Status, invoiced.Body, invoiced.Header.Get("ETag"), tag(lesser, bill))
		}
		paid := change(lesser, "/v1/test/bills/"+sold.BillID+"/pay", invoiced.Header.Get("ETag"))
		if paid.Status != http.StatusOK {
			t.Errorf("with that of its last answer: %d %s", paid.Status, paid.Body)
		}
		again := w.Do(t, servertest.Request{Path: bill, Key: lesser, Header: map[string]string{"If-None-Match": paid.Header.Get("ETag")}})
		if again.Status != http.StatusNotModified {
			t.Errorf("if it has changed: %d", again.Status)
		}
		sent := change(w.Key, bill+"/mark-sent", tag(w.Key, bill))
		if sent.Status != http.StatusOK || sent.Header.Get("ETag") != tag(w.Key, bill) {
			t.Errorf("the seller's key: %d %s", sent.Status, sent.Body)
		}
		if got := change(lesser, "/v1/test/sales/"+sold.ID+"/cancel", tag(w.Key, sale)); got.Status != http.StatusPreconditionFailed {
			t.Errorf("a sale with the tag of another key: %d %s", got.Status, got.Body)
		}
	})
}

// TestEveryMemberAboutABuyerIsMarked lists what is personal in the answers of all operations, and what is named like it and is not.
func TestEveryMemberAboutABuyerIsMarked(t *testing.T) {
	named := []string{"email", "first_name", "last_name", "phone", "name", "line1", "line2", "postal_code", "city"}
	personal, open := map[string]bool{}, map[string]bool{}
	known := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if known[typ] {
			return
		}
		known[typ] = true
		switch p := wire.PlanOf(typ); p.Form {
		case wire.FormRaw:
			walk(reflect.New(typ).Interface().(wire.RawText).Holds())
		case wire.FormOpt, wire.FormSlice:
			walk(p.Elem.Type)
		case wire.FormStruct:
			for _, field := range wire.Members(typ) {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				place := typ.Name() + "." + name
				switch {
				case field.Tag.Get("personal") == "true":
					personal[place] = true
					if !field.Type.Implements(wire.OptionalType) {
						t.Errorf("%s cannot be null", place)
					}
				case slices.Contains(named, name):
					open[place] = true
				}
				walk(field.Type)
			}
		}
	}
	for _, o := range v1.Operations {
		walk(o.Out)
	}
	want := []string{
		"Address.city", "Address.country", "Address.line1", "Address.line2", "Address.name", "Address.phone", "Address.postal_code", "Address.state",
		"Buyer.email", "Buyer.first_name", "Buyer.last_name", "Buyer.phone",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(personal))); diff != "" {
		t.Errorf("what is hidden (-want +got):\n%s", diff)
	}
	// The account's own data, and what has a name.
	want = []string{"APIKey.name", "Account.email", "AccountKey.name", "AccountStore.name", "Category.name", "CategoryStep.name", "DeliveryService.name", "Model.name", "RotatedKey.name", "Zone.name"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(open))); diff != "" {
		t.Errorf("what has such a name and is shown (-want +got):\n%s", diff)
	}
}
