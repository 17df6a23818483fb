package legacy_test

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// This file is about the numbers and the life of notification settings.

// settingsOf are an account's settings: number, type and whether it is on.
func settingsOf(t *testing.T, w *servertest.World, key string) (numbers []int64, lines []string) {
	t.Helper()
	answer := w.Rest(t, "GET", "/rest/notification/settings", "", "X-Api-Key", key)
	types, active := answer.Texts("body/notification_settings/type"), answer.Texts("body/notification_settings/active")
	for i, text := range answer.Texts("body/notification_settings/id_notification") {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers, lines = append(numbers, number), append(lines, types[i]+" "+active[i])
	}
	return numbers, lines
}

func addSetting(t *testing.T, w *servertest.World, key, form string) servertest.RestAnswer {
	t.Helper()
	return w.Rest(t, "POST", "/rest/notification/settings", form, "X-Api-Key", key)
}

// TestSettingsHaveSmallNumbersOfTheirOwn lets two sellers make settings at the same time.
func TestSettingsHaveSmallNumbersOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		_, other, _ := w.Seller(t, "berta")
		var wg sync.WaitGroup
		for i := range 8 {
			for _, key := range []string{w.Key, other} {
				wg.Go(func() {
					if made := addSetting(t, w, key, fmt.Sprintf("notificationType=Curl_Default&destination=http://www.mysite.net/%d", i)); made.Status != http.StatusOK {
						t.Errorf("make setting %d: %d %s", i, made.Status, made.Body)
					}
				})
			}
		}
		wg.Wait()
		seen := map[int64]bool{}
		for _, key := range []string{w.Key, other} {
			numbers, _ := settingsOf(t, w, key)
			for _, number := range numbers {
				if seen[number] || number < 1 || number > math.MaxInt32 {
					t.Errorf("the number %d is not small, or another setting has it", number)
				}
				seen[number] = true
			}
		}
		if len(seen) != 16 {
			t.Errorf("%d settings", len(seen))
		}
	})
}

// TestASettingIsNamedByEitherNumber switches and deletes settings by the small number and by the one that it had before
// there were small ones, which is the webhook's id.
func TestASettingIsNamedByEitherNumber(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		_, other, _ := w.Seller(t, "berta")
		addSetting(t, w, w.Key, "notificationType=Curl_Seller_Item_Add&destination=http://www.mysite.net/in")
		numbers, _ := settingsOf(t, w, w.Key)
		long := longNumber(t, w)
		if long < 1e15 || numbers[0] == long {
			t.Fatalf("the numbers are %d and %d", numbers[0], long)
		}
		for _, step := range []struct {
			method, key string
			number      int64
			status      int
			want        []string
		}{
			{"PUT", w.Key, numbers[0], http.StatusOK, []string{"Seller_Item_Add 0"}},
			{"PUT", w.Key, long, http.StatusOK, []string{"Seller_Item_Add 1"}},
			{"PUT", other, numbers[0], http.StatusNotFound, []string{"Seller_Item_Add 1"}},
			{"DELETE", other, long, http.StatusNotFound, []string{"Seller_Item_Add 1"}},
			{"PUT", w.Key, numbers[0] + 1, http.StatusNotFound, []string{"Seller_Item_Add 1"}},
			{"DELETE", w.Key, long, http.StatusOK, nil},
		} {
			if answer := w.Rest(t, step.method, fmt.Sprintf("/rest/notification/%d", step.number), "", "X-Api-Key", step.key); answer.Status != step.status {
				t.Errorf("%s %d: %d %s", step.method, step.number, answer.Status, answer.Body)
			}
			if _, lines := settingsOf(t, w, w.Key); cmp.Diff(step.want, lines) != "" {
				t.Errorf("after %s %d the settings are %q", step.method, step.number, lines)
			}
		}
	})
}

// longNumber is the id of the one webhook, in decimal.
func longNumber(t *testing.T, w *servertest.World) int64 {
	t.Helper()
	page := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks"}))
	number, err := strconv.ParseInt(strings.TrimPrefix(page.Results[0].ID, "wh_"), 36, 64)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// TestASettingIsSetAnew follows the record: to update a notification, disable the older one and set the new one.
func TestASettingIsSetAnew(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		const form = "notificationType=Curl_Seller_Item_Add&destination=http://www.mysite.net/in"
		for i := range 2 {
			if made := addSetting(t, w, w.Key, form); made.Status != http.StatusOK || made.Text("body/status") != "true" {
				t.Fatalf("%d: %d %s", i, made.Status, made.Body)
			}
		}
		numbers, lines := settingsOf(t, w, w.Key)
		if diff := cmp.Diff([]string{"Seller_Item_Add 1"}, lines); diff != "" {
			t.Fatalf("set twice: %s", diff)
		}
		w.Rest(t, "PUT", fmt.Sprintf("/rest/notification/%d", numbers[0]), "", "X-Api-Key", w.Key)
		if _, lines := settingsOf(t, w, w.Key); lines[0] != "Seller_Item_Add 0" {
			t.Fatalf("switched off: %q", lines)
		}
		addSetting(t, w, w.Key, form)
		again, lines := settingsOf(t, w, w.Key)
		if diff := cmp.Diff(numbers, again); diff != "" || lines[0] != "Seller_Item_Add 1" {
			t.Errorf("set anew: %q %s", lines, diff)
		}
		// Another type at the same address is another setting.
		addSetting(t, w, w.Key, "notificationType=Curl_Default&destination=http://www.mysite.net/in")
		if _, lines := settingsOf(t, w, w.Key); cmp.Diff([]string{"Seller_Item_Add 1", "Default 1"}, lines) != "" {
			t.Errorf("two settings: %q", lines)
		}
	})
}
