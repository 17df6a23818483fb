package store

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
)

// turnOrder has the callers wait in their order while the first one has its turn. It returns the order of their turns, and how
// many commits that took. A caller whose name begins with "p" is patient.
func turnOrder(t *testing.T, db *DB, names ...string) (order []string, commits uint64) {
	t.Helper()
	gate, done := make(chan struct{}), make(chan error)
	for i, name := range names {
		ctx := t.Context()
		if name[0] == 'p' {
			ctx = db.Patient(ctx)
		}
		go func() {
			done <- db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
				if i == 0 {
					<-gate
				}
				order = append(order, name)
				return insert(name)(ctx, tx)
			})
		}()
		synctest.Wait() // until this one waits
	}
	close(gate)
	for range names {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return order, db.Stats().Commits
}

func TestOthersGoBeforePatientCallers(t *testing.T) {
	tests := []struct {
		name         string
		waiting      []string
		want         []string
		groupsOfThem uint64
	}{
		{"patient callers share a commit", []string{"p1", "p2", "p3"}, []string{"p1", "p2", "p3"}, 1},
		{"one in a hurry waits for one of them", []string{"p1", "p2", "p3", "a"}, []string{"p1", "a", "p2", "p3"}, 2},
		{"those in a hurry share a commit without them", []string{"a", "p1", "p2", "b"}, []string{"a", "b", "p1", "p2"}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, db *DB) {
				order, commits := turnOrder(t, db, test.waiting...)
				if diff := cmp.Diff(test.want, order); diff != "" || commits != test.groupsOfThem {
					t.Errorf("%d commits, want %d; turns (-want +got):\n%s", commits, test.groupsOfThem, diff)
				}
			})
		})
	}
}

// A patient caller has its turn although callers in a hurry never cease to wait.
func TestAPatientCallerHasItsTurn(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ended, pressing := make(chan struct{}), make(chan struct{})
		for range 2 { // while one is served the other one waits
			go func() {
				defer func() { pressing <- struct{}{} }()
				for n := 0; ; n++ {
					select {
					case <-ended:
						return
					default:
					}
					if n == 10_000 {
						t.Error("the patient caller still waits")
						return
					}
					err := db.Write(t.Context(), func(context.Context, *ent.Client) error { return nil })
					if err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		if err := db.Write(db.Patient(t.Context()), insert("patient")); err != nil {
			t.Error(err)
		}
		close(ended)
		<-pressing
		<-pressing
	})
}
