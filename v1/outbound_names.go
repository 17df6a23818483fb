package v1

import (
	"net/http"

	"sellerd/v1/outbound"
)

// Names of package outbound that are part of this package's public face.

type (
	FetchedImage       = outbound.FetchedImage
	ImageFetcher       = outbound.ImageFetcher
	ImageFetcherConfig = outbound.ImageFetcherConfig
	OutboundConfig     = outbound.Config
	OutboundURLError   = outbound.URLError
)

const (
	URLForeignPort    = outbound.URLForeignPort
	URLHasCredentials = outbound.URLHasCredentials
	URLMalformed      = outbound.URLMalformed
	URLNotHTTP        = outbound.URLNotHTTP
	URLNotHTTPS       = outbound.URLNotHTTPS
	URLPrivateTarget  = outbound.URLPrivateTarget
	URLTooLong        = outbound.URLTooLong
)

var ErrResponseTooLarge = outbound.ErrResponseTooLarge

// CheckLegacyURL is outbound.CheckLegacyURL.
func CheckLegacyURL(raw string, allowPrivate bool) error {
	return outbound.CheckLegacyURL(raw, allowPrivate)
}

// CheckOutboundURL is outbound.CheckURL.
func CheckOutboundURL(raw string, allowPrivate bool) error {
	return outbound.CheckURL(raw, allowPrivate)
}

// NewImageFetcher is outbound.NewImageFetcher.
func NewImageFetcher(cfg ImageFetcherConfig) *ImageFetcher { return outbound.NewImageFetcher(cfg) }

// NewOutboundClient is outbound.NewClient.
func NewOutboundClient(cfg OutboundConfig) *http.Client { return outbound.NewClient(cfg) }

// OutboundErrorCode is outbound.ErrorCode.
func OutboundErrorCode(err error) string { return outbound.ErrorCode(err) }
