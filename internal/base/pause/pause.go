// Package pause waits.
package pause

import (
	"context"
	"time"
)

// For waits for a while, and returns the error of ctx if that ends before.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
