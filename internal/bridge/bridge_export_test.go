package bridge

import (
	"context"
	"fmt"

	"sellerd/v1"
)

// RememberMany reads so many windows of lists of a thousand rows each, without a service, and returns what is remembered, with
// the number of marks.
func RememberMany(windows int) (remembered any, marks int) {
	m := newMemory(maxMarks)
	for list := range windows / 5 {
		l := rowsOf(fmt.Sprintf("key-%d?sale_type=auction&sort=created_at_asc&status=open", list), 1000)
		for n := range 5 {
			if _, err := readWindow(context.Background(), m, l, v1.Window{Start: 200 * n, Count: 200}); err != nil {
				panic(err)
			}
		}
	}
	return m, m.total
}

// rowsOf is a list of numbers that do not change.
func rowsOf(name string, n int) *listing[int] {
	return &listing[int]{
		name: name,
		page: func(_ context.Context, after string, limit int) (*v1.Page[int], error) {
			from := 0
			fmt.Sscanf(after, "a-cursor-as-long-as-those-of-the-service-are-%d", &from)
			page := &v1.Page[int]{}
			for i := from; i < min(from+limit, n); i++ {
				page.Results = append(page.Results, i)
			}
			if from+limit < n {
				page.NextCursor = v1.Some(fmt.Sprintf("a-cursor-as-long-as-those-of-the-service-are-%d", from+limit))
			}
			return page, nil
		},
		changed: func(context.Context, v1.Time, string) (*v1.Page[int], error) { return &v1.Page[int]{}, nil },
		newest:  func(context.Context) (v1.Time, []int, error) { return 1 << 40, nil, nil },
		place:   func(i *int) place { return place{v1.Time(*i), v1.ID(*i)} },
		updated: func(*int) v1.Time { return 0 },
	}
}

// MaxMarks is how many marks are remembered.
const MaxMarks = maxMarks

// CallsAtOnce is how many calls run at the same time.
const CallsAtOnce = callsAtOnce

// Waiting is how many calls of a key wait for its budget, or ask.
func (b *Bridge) Waiting(keyID string) int { return b.client.turns.Len(keyID) }
