package v1_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// A publisher does not stand in the line of an owner's row before it has yielded for a while, so that the requests of the
// owner go first. Then it does, or requests that never pause would keep it from publishing.
func TestThePublisherYieldsToTheOwnersRequests(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	path := submit(t, w)
	release := hold(t, w, touchOwner, int64(v1.OwnerOf(w.Account, true)))
	began, published := time.Now(), make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	waitForLock(t, w)
	if took := time.Since(began); took < probe.YieldAtMost {
		t.Errorf("the publisher stood in line after %s", took)
	}
	release()
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"published"}, readSubmission(t, w, path).outcome()); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}
