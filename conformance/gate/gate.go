// Package gate compares two OpenAPI documents of one interface and says whether the newer one keeps what the older one
// promised. oasdiff compares; this package decides which changes are harmless. All others are breaking, even those that
// oasdiff accepts: another default, a missing header or a missing optional member breaks programs too.
package gate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"

	"sellerd/changelog"
)

// additions are the rules of oasdiff whose changes do not affect programs that follow the documentation: answers may gain
// members, and there may be new error codes.
var additions = []string{
	"endpoint-added", "webhook-added", "api-tag-added", "request-body-added-optional", "request-body-media-type-added",

	"new-optional-request-parameter", "new-optional-request-property", "request-parameter-became-optional", "request-property-became-optional",
	"request-parameter-enum-value-added", "request-parameter-property-enum-value-added", "request-property-enum-value-added", "request-body-enum-value-added",
	"request-parameter-max-increased", "request-parameter-max-length-increased", "request-parameter-max-items-increased",
	"request-property-max-increased", "request-property-max-length-increased", "request-property-max-items-increased",
	"request-body-max-increased", "request-body-max-length-increased", "request-body-max-items-increased",
	"request-parameter-min-decreased", "request-parameter-min-length-decreased", "request-parameter-min-items-decreased",
	"request-property-min-decreased", "request-property-min-length-decreased", "request-property-min-length-unset", "request-property-min-items-decreased",

	"response-header-added", "response-optional-property-added", "response-required-property-added",
	"response-success-status-added", "response-non-success-status-added",
}

// eventAdditions are the additions among webhooks, which have the opposite direction: the service sends what oasdiff takes
// for a request.
var eventAdditions = []string{"webhook-added", "new-required-request-property", "new-optional-request-property"}

// notAsked are rules that are not applied: about the document's version, which the change log decides, and about the time
// until a sunset, because the result must not depend on the day.
var notAsked = []string{"api-version-not-bumped", "api-version-decreased", "api-major-version-not-bumped"}

// deprecations announce a later removal and change nothing yet.
var deprecations = []string{
	"endpoint-deprecated-with-sunset", "request-parameter-deprecated", "request-property-deprecated-with-sunset", "response-property-deprecated-with-sunset",
}

// Change is one difference between two documents.
type Change struct {
	Rule string // oasdiff's name of it
	Text string
	Kind changelog.Kind // addition, deprecation or breaking
}

// String is how corrections name a difference.
func (c Change) String() string { return c.Text + " (" + c.Rule + ")" }

// Compare lists the differences between a released document and a newer one. They come in oasdiff's order.
func Compare(released, newer []byte) ([]Change, error) {
	released, err := withDefaults(released)
	if err != nil {
		return nil, fmt.Errorf("the released document: %w", err)
	}
	if newer, err = withDefaults(newer); err != nil {
		return nil, fmt.Errorf("the newer document: %w", err)
	}
	silent, err := breakSilence(released, newer)
	if err != nil {
		return nil, err
	}
	before, err := read(silent)
	if err != nil {
		return nil, fmt.Errorf("the released document: %w", err)
	}
	after, err := read(newer)
	if err != nil {
		return nil, fmt.Errorf("the newer document: %w", err)
	}
	found, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), before, after)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	levels := map[string]checker.Level{}
	for _, rule := range checker.GetAllRules() {
		if levels[rule.Id] = checker.ERR; slices.Contains(notAsked, rule.Id) || strings.HasSuffix(rule.Id, "date-too-small") {
			levels[rule.Id] = checker.NONE
		}
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(levels))
	calls := newCalls(before.Spec, after.Spec)
	inWords := checker.NewDefaultLocalizer()
	var changes []Change
	for _, c := range checker.CheckBackwardCompatibilityUntilLevel(config, found, sources, checker.INFO) {
		changes = append(changes, Change{c.GetId(), strings.TrimSpace(c.GetOperation() + " " + c.GetPath() + " " + c.GetUncolorizedText(inWords)), kindOf(c, calls)})
	}
	return changes, nil
}

func read(document []byte) (*load.SpecInfo, error) {
	loader := openapi3.NewLoader()
	spec, err := loader.LoadFromData(document)
	if err != nil {
		return nil, err
	}
	return &load.SpecInfo{Url: spec.Info.Title, Spec: spec, Version: spec.Info.Version}, nil
}

func kindOf(c checker.Change, calls calls) changelog.Kind {
	harmless := additions
	if strings.HasPrefix(c.GetPath(), "webhook:") {
		harmless = eventAdditions
	}
	switch {
	case slices.Contains(harmless, c.GetId()), isNewValue(c), refusesLesserKey(c), calls.names(c):
		return changelog.Addition
	case slices.Contains(deprecations, c.GetId()):
		return changelog.Deprecation
	default:
		return changelog.Breaking
	}
}

// growth is an enumeration in answers or events that may get a value more. Each text is a regular expression of the whole, and an empty one
// fits everything.
type growth struct{ value, path, member string }

// growing are these enumerations. No other one may grow: programs have a case for each value of a state.
var growing = []growth{
	// Lists of errors get new codes. oasdiff calls the member errors/items/allOf[…]/code.
	{member: `(.*/)?(errors|warnings)/items/(.*/)?code`},
	// A submission that only checks an item: only requests with validate_only get this status.
	{"valid", `/v1/items|/v1/item-submissions/\{id\}|webhook:item\.rejected`, `data/(submission/)?status`},
	// The trigger of attempts that a program has asked for with POST /v1/webhooks/{id}/recover: programs that make no such request never
	// meet it.
	{"recovery", `/v1/webhook.*`, `data/trigger|.*data/results/items/trigger`},
	// The permission of release 1.6.0 in the list of a key's permissions. The list says what the marketplace's operator has given to a key,
	// and no operation depends on how a program reads it.
	{"buyers:read", `/v1/account`, `data/key/permissions/items/`},
	// The name or the family of a new event: docs/seller/webhook-events.md tells programs to ignore events that they do not know, and only
	// programs that subscribe to it see it in a webhook.
	{path: `/v1/webhook.*`, member: `data/(results/items/)?event_type|data/(results/items/)?events/items/`},
	{path: `/v1/events.*`, member: `data/(results/items/)?type`},
}

// allows says whether a value more is one that the enumeration may get.
func (g growth) allows(c checker.Change) bool {
	fits := func(expression string, in ...any) bool {
		whole := regexp.MustCompile(`\A(` + cmp.Or(expression, ".*") + `)\z`)
		return slices.ContainsFunc(in, func(arg any) bool {
			text, isText := arg.(string)
			return isText && whole.MatchString(text)
		})
	}
	return fits(g.path, c.GetPath()) && fits(g.value, c.GetArgs()...) && fits(g.member, c.GetArgs()...)
}

// isNewValue recognises a value more that only new requests return, and a new error code.
func isNewValue(c checker.Change) bool {
	return (c.GetId() == "response-property-enum-value-added" || c.GetId() == "request-property-enum-value-added") &&
		slices.ContainsFunc(growing, func(g growth) bool { return g.allows(c) })
}

// refusesLesserKey recognises the refusal of a key that may do less, as /rest answers it since release 1.3.0. Programs of /rest
// cannot get it with a key of before. No other code may come to a call of /rest.
func refusesLesserKey(c checker.Change) bool {
	if c.GetId() != "response-property-enum-value-added" || !strings.HasPrefix(c.GetPath(), "/rest/") {
		return false
	}
	for _, part := range []any{"permission_denied", "Notification_Data/body/errorCode", "403"} {
		if !slices.Contains(c.GetArgs(), part) {
			return false
		}
	}
	return true
}

// Verdict is the most serious kind among changes, fix if there is none.
func Verdict(changes []Change) changelog.Kind {
	verdict := changelog.Fix
	for _, kind := range []changelog.Kind{changelog.Deprecation, changelog.Addition, changelog.Breaking} {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Kind == kind }) {
			verdict = kind
		}
	}
	return verdict
}
