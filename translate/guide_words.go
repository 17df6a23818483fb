package translate

import (
	"fmt"
	"strings"
)

// This file is what both readable forms of the guide say around the tables.

const (
	pairsNote = "Each call below has two commands, for `/rest` and for `/v1`. Those that change something do it twice when you run both: " +
		"run one, or give the other an object of its own."
	valuesNote = "The tables of the calls say in a word or two how a value is written, and link here or to the values of an enumeration. " +
		"Of a member in `/v1`, `{id}` is a part of the path, `?status` a parameter of the query, `@Accept-Language` a header, and anything else " +
		"a member of the JSON: `price.amount` is `amount` inside `price`."
	notificationsNote = "A notification is a `POST` of the form field `delcampeNotification`, which holds XML; an event of a webhook is a `POST` of JSON, " +
		"[signed](/docs/webhooks#check-the-signature). `Notification_Type` is the type without `Curl_`. The same event brings both, in the order in which things happened."
	errorsNote = "A refusal has the same HTTP status and the same code on both sides. On `/rest` the code is in `errorCode`, and `errorMsg` is a text; in `/v1` " +
		"each entry of `errors` has its `code`, and `message` is for people and may change. So compare codes. Each code has a page, which says what to do: " +
		"follow the links, or read [all of them](/errors). A message about a field names it as its own interface does: `fixed_price` here, `price.amount` there."
	newNote = "No call of `/rest` leads to these operations. [The reference](/docs) describes each of them, and [the change log](/changelog) tells in which release it came."
)

// code is a text as a code span. The guide's own texts hold no grave accents.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// Successors are the operations behind a call.
func (c *GuideCall) Successors() string {
	if len(c.V1) == 0 {
		return "(none)"
	}
	parts := make([]string, len(c.V1))
	for i, step := range c.V1 {
		parts[i] = code(step.Method + " " + step.Path)
	}
	return strings.Join(parts, ", then ")
}

// How says of what kind a call is.
func (c *GuideCall) How() string {
	switch {
	case c.Kind == Absent:
		return "refused, for good"
	case c.Kind == Local:
		return "not needed any more"
	case len(c.V1) > 1:
		return fmt.Sprintf("%d requests", len(c.V1))
	default:
		return "one request"
	}
}

// FieldsNote introduces the fields of a request.
func (g *Guide) FieldsNote(c *GuideCall) string {
	if c.FieldsAs != "" {
		of := "The fields"
		if c.Each != "" {
			of = fmt.Sprintf("The fields of each entry, `%s[0][…]` and so on,", c.Each)
		}
		return fmt.Sprintf("%s are those of [%s](#%s).", of, g.Call(c.FieldsAs).Title, c.FieldsAs)
	}
	return "**Request.** What was a field, and what it is now."
}

// ElementsNote introduces the elements of an answer.
func (g *Guide) ElementsNote(c *GuideCall) string {
	switch {
	case c.Acknowledges && c.Kind != Local:
		return "**Answer.** `/rest` only acknowledges: `status` is true, and `data` says so. " + c.answers()
	case c.ElementsAs != "":
		return fmt.Sprintf("**Answer.** Each `%s` has the elements of [%s](#%s), from the same members.", c.Element, g.Call(c.ElementsAs).Title, c.ElementsAs)
	case c.Element == "":
		return "**Answer.** What stands inside `body`."
	default:
		return fmt.Sprintf("**Answer.** What stands inside each `%s`.", c.Element)
	}
}

// answers says what /v1 tells in place of an acknowledgement.
func (c *GuideCall) answers() string {
	return "`/v1` answers the thing itself: " + answeredThings[c.ID] + "."
}

// answeredThings are what calls that only acknowledge are answered with in /v1.
var answeredThings = map[string]string{
	"item-create":         "the submission, which becomes an item within minutes",
	"item-bulk":           "the batch, with a submission or the errors for each entry",
	"item-update":         "the item as it is then",
	"item-close":          "the closed item",
	"item-restart":        "the item, open again",
	"item-feedback":       "the rating",
	"notification-add":    "the webhook, with the secret that signs what it gets",
	"notification-switch": "the webhook with its new status",
	"notification-delete": "its id, and `deleted`",
	"notification-test":   "the delivery, which is on its way",
}

// cells are the columns of a row, with or without a default.
func (f *GuideField) cells(request bool) []string {
	name, words := code(f.Legacy), f.Words
	if f.Legacy == "" {
		name = "(none)"
	}
	if f.Required {
		name += " (required)"
	}
	if f.Loss != "" {
		words = strings.TrimSuffix(f.Loss+": "+words, ": ")
	}
	paths := strings.Fields(f.V1)
	for i := range paths {
		paths[i] = code(paths[i])
	}
	v1 := strings.Join(paths, ", ")
	if f.V1 == "" {
		v1 = "(nothing)"
	}
	if request {
		return []string{name, v1, f.Value, code(f.Default), words}
	}
	return []string{name, v1, f.Value, words}
}
