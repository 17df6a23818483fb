package wire

import (
	"strconv"
	"strings"

	"sellerd/v1/refusal"
)

// ID is one of the marketplace's decimal numbers. On the wire it is a string.
type ID int64

// AppendText writes the decimal number.
func (id ID) AppendText(b []byte) ([]byte, error) { return strconv.AppendInt(b, int64(id), 10), nil }

// String is the wire form.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// UnmarshalText reads a decimal number in its shortest form.
func (id *ID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(b) {
		return ValueError{refusal.InvalidValue, "must be an id: a decimal number as a string"}
	}
	*id = ID(n)
	return nil
}

// MaybeID is an id from a nullable column.
func MaybeID(p *int64) Opt[ID] {
	if p == nil {
		return Opt[ID]{}
	}
	return Some(ID(*p))
}

// Ids that are not the marketplace's numbers have a prefix for their kind. The rest is opaque to callers.
type (
	SubmissionID int64
	BatchID      int64
	TrackingID   int64
	WebhookID    int64
	EventID      int64
	DeliveryID   int64
	DrillID      int64
)

func appendPrefixed(b []byte, prefix string, n int64) ([]byte, error) {
	return strconv.AppendInt(append(b, prefix...), n, 36), nil
}

func parsePrefixed(b []byte, prefix string, into *int64) error {
	rest, ok := strings.CutPrefix(string(b), prefix)
	n, err := strconv.ParseInt(rest, 36, 64)
	if !ok || err != nil || n < 0 || strconv.FormatInt(n, 36) != rest {
		return ValueError{refusal.InvalidValue, "must be an id beginning with " + prefix}
	}
	*into = n
	return nil
}

func prefixedString(prefix string, n int64) string { return prefix + strconv.FormatInt(n, 36) }

func (id SubmissionID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "sub_", int64(id))
}

func (id BatchID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "bat_", int64(id)) }

func (id TrackingID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "trk_", int64(id))
}

func (id WebhookID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "wh_", int64(id)) }

func (id EventID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "evt_", int64(id)) }

func (id DeliveryID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "dlv_", int64(id))
}

func (id DrillID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "drl_", int64(id)) }

func (id *SubmissionID) UnmarshalText(b []byte) error { return parsePrefixed(b, "sub_", (*int64)(id)) }

func (id *BatchID) UnmarshalText(b []byte) error { return parsePrefixed(b, "bat_", (*int64)(id)) }

func (id *TrackingID) UnmarshalText(b []byte) error { return parsePrefixed(b, "trk_", (*int64)(id)) }

func (id *WebhookID) UnmarshalText(b []byte) error { return parsePrefixed(b, "wh_", (*int64)(id)) }

func (id *EventID) UnmarshalText(b []byte) error { return parsePrefixed(b, "evt_", (*int64)(id)) }

func (id *DeliveryID) UnmarshalText(b []byte) error { return parsePrefixed(b, "dlv_", (*int64)(id)) }

func (id *DrillID) UnmarshalText(b []byte) error { return parsePrefixed(b, "drl_", (*int64)(id)) }

func (id SubmissionID) String() string { return prefixedString("sub_", int64(id)) }
func (id BatchID) String() string      { return prefixedString("bat_", int64(id)) }
func (id TrackingID) String() string   { return prefixedString("trk_", int64(id)) }
func (id WebhookID) String() string    { return prefixedString("wh_", int64(id)) }
func (id EventID) String() string      { return prefixedString("evt_", int64(id)) }
func (id DeliveryID) String() string   { return prefixedString("dlv_", int64(id)) }
func (id DrillID) String() string      { return prefixedString("drl_", int64(id)) }
