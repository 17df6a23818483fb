package v1

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"sellerd/v1/refusal"
)

// This file rejects wrong credentials, and credentials that came by http, on all stacks.

// refuseStranger counts a failed attempt to authenticate against the caller's address and returns the error for it: err, or
// rate_limited after too many attempts. The address is the caller's own, even behind a proxy: the server has put it into the
// request.
func (s *Service) refuseStranger(ctx context.Context, address string, err error) error {
	return cmp.Or(s.ChargeAddress(ctx, countedAddress(address)), err)
}

// countedAddress is the key by which failed attempts from an address (with a port) are counted: the address without the
// port, or for IPv6 its network of 64 bits, because one machine may use all addresses of such a network.
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

// keyInQuery says whether the query has a key.
func keyInQuery(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, "=dk_live_") || strings.Contains(r.URL.RawQuery, "=dk_test_")
}

// SentInClear is the error for credentials that came by http. They are not checked, because others may have read them. The
// header is Trace.InClear.
func SentInClear(header string) Errors {
	return refusal.Newf(InvalidHeader, header, "The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one.")
}
