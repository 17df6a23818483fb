package outagetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"sellerd/internal/proof/blackbox"
)

// What is compared: lists, and what is behind the ids of their first pages.
var (
	lists    = []string{"items", "sales", "bills", "webhooks", "webhook-deliveries", "events", "shipping-models", "account", "account/legacy-drills"}
	ofEach   = map[string][]string{"items": {""}, "sales": {"", "/rating"}, "bills": {"", "/trackings"}, "webhooks": {""}, "webhook-deliveries": {""}, "events": {""}}
	changing = map[string]bool{"last_used_at": true, "next_cursor": true} // from one request to the next
)

// shown is what a server shows of the accounts that replays have filled, by account and path.
func (u *upgrade) shown(server *blackbox.Server) map[string]any {
	u.Helper()
	answers := map[string]any{}
	for _, probe := range u.probes {
		read := func(path string) map[string]any {
			r := &request{method: http.MethodGet, url: server.URL() + path, header: map[string]string{"X-Api-Key": probe.Key}}
			var answer map[string]any
			if r.send(); r.err != nil || r.status >= http.StatusInternalServerError || json.Unmarshal([]byte(r.answer), &answer) != nil {
				u.Errorf("%s: %d %v\n%s", path, r.status, r.err, r.answer)
			}
			answers[probe.Account+" "+path] = answer
			return answer
		}
		for _, list := range lists {
			answer := read("/v1/" + list)
			for _, each := range ofEach[list] {
				for _, id := range idsOf(answer) {
					read("/v1/" + list + "/" + id + each)
				}
			}
		}
	}
	if least := 50 * len(u.probes); len(answers) < least {
		u.Errorf("only %d answers are there to compare", len(answers))
	}
	return answers
}

// alike fails if the old program showed anything that this one does not, or shows otherwise. This one may show more.
func (u *upgrade) alike(old, current map[string]any) {
	u.Helper()
	for _, difference := range missing("", old, current) {
		u.Error(difference)
	}
}

// missing says what of one value another one has not, or has otherwise.
func missing(at string, want, got any) (differences []string) {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if member, is := object[name]; !is {
				differences = append(differences, at+"."+name+" is not there")
			} else if !changing[name] {
				differences = append(differences, missing(at+"."+name, value, member)...)
			}
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return []string{fmt.Sprintf("%s has %d members, and %d of the old program", at, len(list), len(want))}
		}
		for i := range want {
			differences = append(differences, missing(fmt.Sprintf("%s[%d]", at, i), want[i], list[i])...)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return []string{fmt.Sprintf("%s is %v, and %v of the old program", at, got, want)}
		}
	}
	return differences
}

// idsOf are the ids of a list.
func idsOf(answer map[string]any) (ids []string) {
	data, _ := answer["data"].(map[string]any)
	results, _ := data["results"].([]any)
	for _, result := range results {
		if object, is := result.(map[string]any); is {
			if id, is := object["id"].(string); is {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
