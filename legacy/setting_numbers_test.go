package legacy_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// TestARepeatedSettingCostsNoNumber sets a setting anew more than once, as programs do at each start, and then makes others.
func TestARepeatedSettingCostsNoNumber(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		const form = "notificationType=Curl_Seller_Item_Add&destination=http://www.mysite.net/in"
		var first int64
		for range 3 {
			if made := addSetting(t, w, w.Key, form); made.Status != http.StatusOK {
				t.Fatalf("%d %s", made.Status, made.Body)
			}
			numbers, _ := settingsOf(t, w, w.Key)
			if first = numbers[0]; len(numbers) != 1 {
				t.Fatalf("settings %d", numbers)
			}
		}
		for i := range 2 {
			addSetting(t, w, w.Key, fmt.Sprintf("notificationType=Curl_Default&destination=http://www.mysite.net/%d", i))
		}
		numbers, _ := settingsOf(t, w, w.Key)
		if diff := cmp.Diff([]int64{first, first + 1, first + 2}, numbers); diff != "" {
			t.Errorf("numbers (-want +got):\n%s", diff)
		}
	})
}

// TestASettingOfAnOlderProgramGetsASmallNumber takes the numbers away, as a program of the release before makes settings
// during an upgrade. Reads of the list, even at the same time, agree on the numbers, and each is good for a change.
func TestASettingOfAnOlderProgramGetsASmallNumber(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for i := range 3 {
			addSetting(t, w, w.Key, fmt.Sprintf("notificationType=Curl_Default&destination=http://www.mysite.net/%d", i))
		}
		if err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, "UPDATE webhooks SET setting_number = NULL")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		read := make([][]int64, 8)
		var wg sync.WaitGroup
		for i := range read {
			wg.Go(func() { read[i], _ = settingsOf(t, w, w.Key) })
		}
		wg.Wait()
		now, _ := settingsOf(t, w, w.Key)
		for _, numbers := range read {
			if diff := cmp.Diff(now, numbers); diff != "" || len(numbers) != 3 {
				t.Errorf("a list has other numbers (-now +then):\n%s", diff)
			}
		}
		for _, number := range now {
			if number < 1 || number > math.MaxInt32 {
				t.Errorf("the number %d is not small", number)
			}
			if answer := w.Rest(t, "DELETE", fmt.Sprintf("/rest/notification/%d", number), "", "X-Api-Key", w.Key); answer.Status != http.StatusOK {
				t.Errorf("delete %d: %d %s", number, answer.Status, answer.Body)
			}
		}
		if left, _ := settingsOf(t, w, w.Key); len(left) != 0 {
			t.Errorf("settings %d are left", left)
		}
	})
}
