package v1

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"sellerd/v1/refusal"
)

// This file is what the doors of all stacks do about credentials that are wrong, or that others could read on their way.

// refuseStranger is the answer to a failed attempt to authenticate, which is counted by address: err, or rate_limited. The
// server has put the caller's address into the request, also where a proxy is between.
func (s *Service) refuseStranger(ctx context.Context, address string, err error) error {
	return cmp.Or(s.ChargeAddress(ctx, countedAddress(address)), err)
}

// countedAddress is what failed attempts from an address (with a port) are counted by: itself, of IPv6 the network of 64
// bits, since a single machine may use all addresses of one.
func countedAddress(remote string) string {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address := from.Addr().Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}

// refuseInClear refuses credentials that came by http, as far as a trusted proxy says so, wherever they stand.
func refuseInClear(r *http.Request) error {
	header := TraceFrom(r.Context()).InClear
	if header == "" || r.Header["X-Api-Key"] == nil && r.Header["Authorization"] == nil && !keyInQuery(r) {
		return nil
	}
	return SentInClear(header)
}

// keyInQuery says whether the query shows a key.
func keyInQuery(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, "=dk_live_") || strings.Contains(r.URL.RawQuery, "=dk_test_")
}

// SentInClear is the answer to credentials that came by http: they are not looked at, right or wrong, since others may know
// them by now. header is Trace.InClear.
func SentInClear(header string) Errors {
	return refusal.Newf(InvalidHeader, header, "The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one.")
}
