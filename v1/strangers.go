package v1

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"sellerd/v1/refusal"
)

// This file handles wrong credentials, and credentials that came by http, for all stacks.

// refuseStranger is the answer to a failed attempt to authenticate, which is counted by address: err, or rate_limited. The
// server has put the caller's address into the request, also where a proxy is between.
func (s *Service) refuseStranger(ctx context.Context, address string, err error) error {
	return cmp.Or(s.ChargeAddress(ctx, countedAddress(address)), err)
}

// countedAddress is the key by which failed attempts from an address (with a port) are counted: the address, or for IPv6
// its network of 64 bits, since a single machine may use all its addresses.
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

// refuseInClear rejects credentials anywhere in the request if a trusted proxy says that it came by http.
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

// SentInClear is the error for credentials that came by http. They are not checked, because others may know them by now.
// header is Trace.InClear.
func SentInClear(header string) Errors {
	return refusal.Newf(InvalidHeader, header, "The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one.")
}
