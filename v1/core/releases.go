package core

// This file has the releases of /v1 that code names.

// Release is the newest release of /v1.
const Release = "1.7.0"

// Releases are those of /v1 in the change log, the newest last.
var Releases = []string{FirstRelease, "1.1.0", "1.2.0", "1.2.1", "1.3.0", "1.4.0", "1.5.0", "1.5.1", "1.5.2", "1.6.0", Release}

const (
	// FirstRelease brought what says nothing else: operations, members and parameters name only a later release.
	FirstRelease = "1.0.0"

	// ConditionalRelease brought entity tags and the headers of requests that name them.
	ConditionalRelease = "1.2.0"

	// everyKeyRelease brought the Idempotency-Key to all operations that POST.
	everyKeyRelease = "1.2.0"

	// QuotaRelease brought the headers RateLimit and RateLimit-Policy.
	QuotaRelease = "1.3.0"

	// CallbackRelease brought the events among what a subscription leads to, beside the webhooks of the document.
	CallbackRelease = "1.5.0"

	// DescriptionLinkRelease brought the Link to the OpenAPI document in answers about what is not there.
	DescriptionLinkRelease = "1.3.0"

	// LanguageRelease brought messages in the caller's language, and the Content-Language of answers that no operation gives.
	LanguageRelease = "1.6.0"
)
