package store

import (
	"errors"

	"sellerd/internal/store/fault"
)

// Unavailable says whether err, from a Write or straight from a read, means that the database could not work. See
// fault.Classify.
func (db *DB) Unavailable(err error) bool {
	var f interface{ Unavailable() bool }
	return errors.As(fault.Classify(err), &f) && f.Unavailable()
}

// Busy says whether err, from a Write or directly from a read, means that other transactions hold the needed locks. See
// fault.Classify.
func (db *DB) Busy(err error) bool {
	var f interface{ Busy() bool }
	return errors.As(fault.Classify(err), &f) && f.Busy()
}
