package core

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"sellerd/v1/operators"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file says with which codes an operation can refuse. The OpenAPI document, the page of errors, the migration guide
// and the tables of /rest read it.

// bodyCodes are the codes with which a body of a type is refused by its tags and types alone.
func bodyCodes(t reflect.Type, add func(...refusal.Code)) {
	p := wire.PlanOf(t)
	switch p.Form {
	case wire.FormString:
		add(refusal.InvalidValue) // U+0000
	case wire.FormInt:
		add(refusal.OutOfRange) // more digits than any number has
	case wire.FormText:
		add(refusal.InvalidValue)
		switch t {
		case reflect.TypeFor[wire.Currency]():
			add(refusal.UnsupportedCurrency)
		case reflect.TypeFor[wire.Amount](), reflect.TypeFor[wire.CostAmount](), reflect.TypeFor[wire.TotalAmount]():
			add(refusal.OutOfRange)
		}
	case wire.FormOpt, wire.FormSlice, wire.FormPatch:
		bodyCodes(p.Elem.Type, add)
	case wire.FormStruct:
		for _, field := range wire.Members(t) {
			bodyCodes(field.Type, add)
			memberCodes(field, add)
		}
	}
}

// memberCodes are those with which a member is refused that breaks the rules of its tags.
func memberCodes(field reflect.StructField, add func(...refusal.Code)) {
	if wire.IsRequired(field) && field.Tag.Get("alone") == "" && field.Tag.Get("required") == "" {
		add(refusal.MissingField)
	}
	if field.Tag.Get("least") != "" && field.Tag.Get("required") == "" {
		add(refusal.TooShort)
	}
	value := wire.PlanOf(field.Type)
	if value.Form == wire.FormOpt {
		value = value.Elem
	}
	table := wire.NumberRules
	switch value.Form {
	case wire.FormString, wire.FormText:
		table = wire.StringRules
	case wire.FormSlice:
		table = wire.ListRules
	}
	for rule := range strings.SplitSeq(field.Tag.Get("validate"), ",") {
		name, _, _ := strings.Cut(rule, "=")
		if broken, ok := wire.AnyRules[name]; ok && name != "required" {
			add(broken.Code)
		} else if broken, ok := table[name]; ok {
			add(broken.Code)
		}
	}
}

// Codes are all codes that the operation can refuse with, in the order of the catalogue: those that follow from what it
// is (who may call it, how its input looks), and those that its line in the table declares.
func (o *Operation) Codes() []refusal.Code {
	can := map[refusal.Code]bool{}
	add := func(codes ...refusal.Code) {
		for _, code := range codes {
			can[code] = true
		}
	}
	add(refusal.MissingAPIKey, refusal.InvalidAPIKey, refusal.UnknownParameter, refusal.InvalidParameter, refusal.RateLimited,
		refusal.InternalError, refusal.ServiceUnavailable)
	if !o.IsOperators() {
		add(refusal.AccountSuspended)
	}
	if o.TestOnly {
		add(refusal.TestKeyOnly)
	}
	if o.Needs != 0 || o.Role > operators.Read {
		add(refusal.PermissionDenied)
	}
	input := wire.InputOf(o.In)
	for _, field := range input.Path {
		add(field.Missing)
	}
	if _, pages := input.ByName["after"]; pages {
		add(refusal.InvalidCursor, refusal.CursorMismatch)
	}
	if o.Method != "GET" {
		add(refusal.MalformedJSON, refusal.PayloadTooLarge, refusal.UnsupportedMediaType, refusal.UnknownField, refusal.InvalidType)
	}
	if o.Method == "POST" {
		add(refusal.InvalidIdempotencyKey, refusal.IdempotencyKeyInProgress, refusal.IdempotencyKeyReused)
	}
	if o.Conditional() {
		add(refusal.InvalidHeader)
	}
	if o.HasBody() {
		bodyCodes(o.In.Field(input.Body).Type, add)
	}
	add(o.refusals...)
	add(o.EntryCodes...)
	var codes []refusal.Code
	for _, info := range refusal.ErrorCatalogue {
		if can[info.Code] {
			codes = append(codes, info.Code)
		}
	}
	return codes
}

// StatusOf is the status of an answer that refuses a request with one of the operation's codes.
func (o *Operation) StatusOf(code refusal.Code) int {
	if slices.Contains(o.EntryCodes, code) {
		return http.StatusUnprocessableEntity
	}
	return refusal.InfoOf(code).Status
}
