package bridge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

// world is a list whose rows come and go, and that tells its changes as a service does.
type world struct {
	rows   []worldRow // all that ever were in the list, by place
	now    v1.Time
	cursor string // begins all cursors
	during func() // is called before each request, if it is set
}

type worldRow struct {
	id      v1.ID
	open    bool
	updated v1.Time
}

// listing is how a bridge reads the open rows.
func (w *world) listing(descending bool) *listing[worldRow] {
	page := func(rows []worldRow, after string, limit int) (*v1.Page[worldRow], error) {
		from := 0
		if after != "" {
			var last v1.ID
			if _, err := fmt.Sscanf(after, w.cursor+"%d", &last); err != nil {
				return nil, v1.Errors{{Code: v1.InvalidCursor}}
			}
			from = sort.Search(len(rows), func(i int) bool { return (place{0, last}).before(place{0, rows[i].id}, descending) })
		}
		page := &v1.Page[worldRow]{Results: slices.Clone(rows[from:min(from+limit, len(rows))])}
		if from+limit < len(rows) {
			page.NextCursor = v1.Some(fmt.Sprintf("%s%d", w.cursor, page.Results[limit-1].id))
		}
		return page, nil
	}
	return &listing[worldRow]{
		name: fmt.Sprint(descending), descending: descending,
		page: func(_ context.Context, after string, limit int) (*v1.Page[worldRow], error) {
			w.asked()
			return page(w.open(descending), after, limit)
		},
		changed: func(_ context.Context, since v1.Time, after string) (*v1.Page[worldRow], error) {
			w.asked()
			changes := slices.DeleteFunc(slices.Clone(w.rows), func(r worldRow) bool { return r.updated < since })
			slices.SortFunc(changes, func(a, b worldRow) int { return int(a.updated - b.updated) })
			first := 0
			if after != "" {
				if _, err := fmt.Sscan(after, &first); err != nil {
					return nil, err
				}
			}
			last := min(first+v1.MaxPageSize, len(changes))
			out := &v1.Page[worldRow]{Results: changes[first:last]}
			if last < len(changes) {
				out.NextCursor = v1.Some(fmt.Sprint(last))
			}
			return out, nil
		},
		newest: func(context.Context) (v1.Time, []worldRow, error) {
			w.asked()
			row := slices.MaxFunc(w.rows, func(a, b worldRow) int { return int(a.updated - b.updated) })
			return row.updated, []worldRow{row}, nil
		},
		place:   func(r *worldRow) place { return place{0, r.id} },
		updated: func(r *worldRow) v1.Time { return r.updated },
	}
}

func (w *world) asked() {
	if w.during != nil {
		w.during()
	}
}

// open are the rows of the list.
func (w *world) open(descending bool) []worldRow {
	rows := slices.DeleteFunc(slices.Clone(w.rows), func(r worldRow) bool { return !r.open })
	if descending {
		slices.Reverse(rows)
	}
	return rows
}

// change opens or closes rows from a number on, and adds new ones behind all others.
func (w *world) change(random *rand.Rand) {
	for range random.IntN(3) {
		open, from := random.IntN(2) == 0, random.IntN(len(w.rows))
		for i := from; i < min(from+1+random.IntN(4)*random.IntN(60), len(w.rows)); i++ {
			w.now++
			w.rows[i].open, w.rows[i].updated = open, w.now
		}
	}
	for range random.IntN(3) * random.IntN(40) {
		w.now++
		w.rows = append(w.rows, worldRow{v1.ID(len(w.rows) + 1), true, w.now})
	}
}

// TestSessionsOfDeepWindowsAreExact reads parts of lists that change between the reads and between their requests, in many sessions. Each
// part must be that of the list at one time while it was read.
func TestSessionsOfDeepWindowsAreExact(t *testing.T) {
	for seed := range uint64(250) {
		random := rand.New(rand.NewPCG(seed, 19))
		w := &world{now: 1, cursor: "a"}
		for range 200 + random.IntN(900) {
			w.now++
			w.rows = append(w.rows, worldRow{v1.ID(len(w.rows) + 1), random.IntN(4) > 0, w.now})
		}
		m := newMemory([]int{maxMarks, 6}[random.IntN(2)])
		var session []string
		for range 25 {
			if random.IntN(3) > 0 {
				w.change(random)
			}
			if random.IntN(40) == 0 {
				w.cursor += "b" // the service has another secret, so it takes no cursor from before
			}
			descending := random.IntN(2) == 0
			part := v1.Window{Start: random.IntN(900), Count: 1 + random.IntN(300)}
			session = append(session, fmt.Sprintf("%d from %d on, descending %t", part.Count, part.Start, descending))
			was := [][]worldRow{cut(w.open(descending), part.Start, part.Count)}
			changes := random.IntN(3) // fewer than there are attempts
			w.during = func() {
				if changes > 0 && random.IntN(4) == 0 {
					changes--
					w.change(random)
					was = append(was, cut(w.open(descending), part.Start, part.Count))
				}
			}
			got, err := readWindow(t.Context(), m, w.listing(descending), part)
			w.during = nil
			if err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, session)
			}
			if !slices.ContainsFunc(was, func(rows []worldRow) bool { return slices.Equal(rows, got) }) {
				t.Fatalf("seed %d, %d changes meanwhile, after %v (-list +window):\n%.1500s", seed, len(was)-1, session,
					cmp.Diff(was[len(was)-1], got, cmp.AllowUnexported(worldRow{})))
			}
		}
	}
}
