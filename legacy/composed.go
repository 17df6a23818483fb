package legacy

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/translate"
	"sellerd/v1"
)

// This file answers the calls that are more than one operation. Each runs the steps that its target declares.

// runners returns the functions of the calls that are not one operation with its result, by the calls' ids.
func runners() map[string]runner {
	return map[string]runner{
		"categories":          categories,
		"item-bulk":           bulk,
		"item-by-reference":   itemsByReference,
		"item-update":         itemUpdate,
		"auction-opened":      itemList,
		"fixedprice-opened":   itemList,
		"auction-closed":      itemList,
		"fixedprice-closed":   itemList,
		"auction-sold":        soldList,
		"fixedprice-sold":     soldList,
		"item-buyer":          itemBuyer,
		"item-feedback":       itemFeedback,
		"notification-list":   notificationList,
		"notification-add":    notificationAdd,
		"notification-switch": notificationSwitch,
		"notification-delete": notificationDelete,
		"notification-test":   notificationTest,
		"login":               login,
		"server-time":         serverTime,
		"fields":              formFields,
		"close-reasons":       closeReasons,
		"notification-types":  notificationTypes,
	}
}

// categories answers all categories that match, however many pages they are. The parent 0 stands for the roots, which /v1 lists
// among all others.
func categories(ctx context.Context, r *request) (any, error) {
	all, err := listed(ctx, r, v1.BrowseCategories, r.decoded.Query)
	if err != nil {
		return nil, err
	}
	if translate.IsZero(r.decoded.Given.Text("idParent")) && r.decoded.Query.Get("leaves_only") != "true" {
		all = slices.DeleteFunc(all, func(c v1.Category) bool { return c.ParentID.Set })
	}
	return all, nil
}

// bulkChunk is the largest number of a bulk's entries that are submitted as one batch.
const bulkChunk = 100

// keyLife is the time in which equal creates list only one item.
const keyLife = translate.RepeatHours * time.Hour

// deriveKey makes the idempotency key of a create that came without one. It is made of the caller's key and the whole body,
// so that a repeated request lists nothing twice.
func (r *request) deriveKey(o *v1.Operation, body []byte) *v1.IdempotencyKeyUse {
	h := sha256.New()
	h.Write([]byte(r.call.KeyID + "\n"))
	h.Write(body)
	use, err := v1.NewIdempotencyKey("rest-"+base64.RawURLEncoding.EncodeToString(h.Sum(nil)), o.Method, o.Pattern, body)
	if err != nil {
		return nil // the body is not JSON; the operation rejects it
	}
	use.Life = keyLife
	return use
}

// bulk submits a bulk in batches and answers for each entry separately. If a batch is rejected as a whole, each of its
// entries gets that answer; the batches before it stay accepted.
func bulk(ctx context.Context, r *request) (any, error) {
	entries := make([]translate.BulkEntry, len(r.decoded.Entries))
	var understood []int
	for i, field := range r.entries() {
		entries[i] = translate.BulkEntry{PersonalReference: field.Parts.Text("personal_reference"), Errors: errorsOf(r.refused, i)}
		if entries[i].Errors == nil {
			understood = append(understood, i)
		}
	}
	for chunk := range slices.Chunk(understood, bulkChunk) {
		if err := r.submitBatch(ctx, entries, chunk); err != nil {
			return nil, err
		}
	}
	return rawBody(r.plan.AppendBulk(nil, entries)), nil
}

// entries are the fields of a bulk's entries.
func (r *request) entries() translate.Fields {
	list, _ := r.fields.Lookup(r.plan.Each)
	return list.Parts
}

// submitBatch submits some entries and notes the errors of each.
func (r *request) submitBatch(ctx context.Context, entries []translate.BulkEntry, chunk []int) error {
	body := []byte(`{"items":[`)
	for i, at := range chunk {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, r.decoded.Entries[at]...)
	}
	body = append(body, "]}"...)
	r.call.Idempotency = r.deriveKey(v1.SubmitBatch.Operation, body)
	out, err := v1.SubmitBatch.Result(r.run(ctx, v1.SubmitBatch.Operation, nil, "", body))
	if refused, ok := errors.AsType[v1.Errors](err); ok {
		for i, at := range chunk {
			entries[at].Errors = r.named(errorsOf(refused, i), i, at)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, result := range out.Results {
		if len(result.Errors) > 0 {
			at := chunk[result.Index]
			entries[at].Errors = r.named(result.Errors, result.Index, at)
		}
	}
	return nil
}

// named returns the errors about an item of a batch, with the name that its entry has in the request: the indexes of a batch
// begin at 0 again.
func (r *request) named(errs v1.Errors, in, at int) v1.Errors {
	prefix, own := fmt.Sprintf("%s[%d].", r.plan.Each, in), fmt.Sprintf("%s[%s].", r.plan.Each, r.entries()[at].Name)
	errs = slices.Clone(errs)
	for i := range errs {
		if rest, ok := strings.CutPrefix(errs[i].Field, prefix); ok {
			errs[i].Field = own + rest
		}
	}
	return errs
}

// errorsOf returns the errors about one entry. Errors without an index concern every entry.
func errorsOf(all v1.Errors, index int) (own v1.Errors) {
	for _, e := range all {
		if !e.Index.Set || e.Index.V == index {
			own = append(own, e)
		}
	}
	return own
}

// itemsByReference answers all items with a reference. If there are none, the answer is that of an unknown item.
func itemsByReference(ctx context.Context, r *request) (any, error) {
	query := url.Values{"exact_reference": r.decoded.Query["exact_reference"], "limit": {strconv.Itoa(v1.MaxPageSize)}}
	if status := r.decoded.Query["status"]; len(status) > 0 {
		query.Set("status", strings.Join(status, ","))
	}
	items, err := listed(ctx, r, v1.BrowseItems, query)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, refuse(v1.ItemNotFound)
	}
	return items, nil
}

// listed runs an operation for each page of its list.
func listed[I, T any](ctx context.Context, r *request, list v1.Op[I, v1.Page[T]], query url.Values) (all []T, err error) {
	for {
		page, err := list.Result(r.run(ctx, list.Operation, nil, query.Encode(), nil))
		if err != nil {
			return nil, err
		}
		all = append(all, page.Results...)
		if !page.NextCursor.Set {
			return all, nil
		}
		query.Set("after", page.NextCursor.V)
	}
}

// itemOf reads the id of the item whose sales are requested. A text that is not one number matches no item.
func itemOf(text string) (id v1.ID, err error) {
	number, err := translate.Identifier.ToV1(text)
	if err != nil {
		return 0, v1.Errors{{Code: v1.InvalidValue, Field: "id_item", Message: err.Error()}}
	}
	if err := id.UnmarshalText([]byte(number)); err != nil {
		return 0, refuse(v1.ItemNotFound)
	}
	return id, nil
}

// itemBuyer answers the buyer of each sale of an item, the oldest sale first.
func itemBuyer(ctx context.Context, r *request) (any, error) {
	id, err := itemOf(r.decoded.Query.Get("item_id"))
	if err != nil {
		return nil, err
	}
	query := url.Values{"item_id": {id.String()}, "cancellation_status": r.decoded.Query["cancellation_status"], "limit": {strconv.Itoa(v1.MaxPageSize)}}
	sales, err := listed(ctx, r, v1.BrowseSales, query)
	if err != nil {
		return nil, err
	}
	bought := make([]translate.BoughtItem, len(sales))
	for i := range sales {
		address, err := sales[i].ShippingAddress.Value()
		if err != nil {
			return nil, err
		}
		bought[i] = translate.BoughtItem{Sale: sales[i], Address: address}
	}
	return bought, nil
}

// itemFeedback rates the buyer of the sale that the call's first step finds: the oldest sale that is not cancelled and not
// rated yet. If there is none, it takes the newest sale that is not cancelled; the operation then says why that sale cannot be
// rated. It takes a cancelled sale only if all are cancelled, because the other calls do not show them.
func itemFeedback(ctx context.Context, r *request) (any, error) {
	id, err := itemOf(r.path["id_item"])
	if err != nil {
		return nil, err
	}
	find := &r.plan.Target.Steps[0]
	var sales []v1.Sale
	all := "item_id=" + id.String() + "&limit=1"
	for _, query := range []string{
		find.Asks(translate.Fields{{Name: "id_item", Text: id.String()}}),
		all + "&sort=sold_at_desc&cancellation_status=" + strings.Join(v1.StandingSales, ","),
		all + "&rating_status=" + v1.RatingUnrated, all + "&sort=sold_at_desc",
	} {
		if len(sales) > 0 {
			break
		}
		page, err := v1.BrowseSales.Result(r.run(ctx, v1.BrowseSales.Operation, nil, query, nil))
		if err != nil {
			return nil, err
		}
		sales = page.Results
	}
	if len(sales) == 0 {
		return nil, refuse(v1.SaleNotFound)
	}
	return r.run(ctx, v1.RateBuyer.Operation, map[string]string{"id": sales[0].ID.String()}, "", r.decoded.Body)
}

// settings returns the caller's webhooks that deliver legacy XML.
func (r *request) settings(ctx context.Context) ([]v1.Webhook, error) {
	page, err := v1.BrowseWebhooks.Result(r.run(ctx, v1.BrowseWebhooks.Operation, nil, "", nil))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(page.Results, func(w v1.Webhook) bool { return w.Format != v1.FormatLegacyXML }), nil
}

// notificationList answers the caller's settings. A webhook that has several events, which only /v1 can give it, is listed
// once for each event that a notification tells of.
func notificationList(ctx context.Context, r *request) (any, error) {
	webhooks, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	settings := []translate.Setting{}
	for _, webhook := range webhooks {
		events, err := webhook.Events.Value()
		if err != nil {
			return nil, err
		}
		for _, event := range translate.SettingEvents(events) {
			settings = append(settings, translate.Setting{
				Webhook: webhook, AccountID: v1.ID(r.call.AccountID), Type: event, Number: webhook.SettingNumber.Or(int64(webhook.ID)),
			})
		}
	}
	return settings, nil
}

// notificationAdd makes a setting. If the setting exists already and is off, it is switched on: old programs renew a setting
// in this way.
func notificationAdd(ctx context.Context, r *request) (any, error) {
	for {
		result, err := direct(ctx, r)
		var refused v1.Errors
		if !errors.As(err, &refused) || len(refused) != 1 || refused[0].Code != v1.WebhookExists {
			return result, err
		}
		id := fmt.Sprint(refused[0].Details["webhook_id"])
		webhooks, err := r.settings(ctx)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(webhooks, func(w v1.Webhook) bool { return w.ID.String() == id })
		switch {
		case i < 0:
			continue // it was deleted just now
		case webhooks[i].Status == v1.WebhookActive:
			return &webhooks[i], nil
		}
		result, err = r.run(ctx, v1.UpdateWebhook.Operation, map[string]string{"id": id}, "", []byte(`{"status":"`+v1.WebhookActive+`"}`))
		if errors.As(err, &refused) && refused[0].Code == v1.WebhookNotFound {
			continue
		}
		return result, err
	}
}

// setting finds the setting of the path, by the number that the list shows or by the long number that the list showed before
// settings had numbers of their own. A webhook in the standard format is not a setting.
func (r *request) setting(ctx context.Context) (*v1.Webhook, error) {
	webhooks, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseInt(r.path["id_notification"], 10, 64)
	i := slices.IndexFunc(webhooks, func(w v1.Webhook) bool {
		return number == int64(w.ID) || number == w.SettingNumber.V && w.SettingNumber.Set
	})
	if err != nil || i < 0 {
		return nil, refuse(v1.WebhookNotFound)
	}
	return &webhooks[i], nil
}

func notificationDelete(ctx context.Context, r *request) (any, error) {
	webhook, err := r.setting(ctx)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, v1.DeleteWebhook.Operation, map[string]string{"id": webhook.ID.String()}, "", nil)
}

// notificationSwitch pauses an active setting and activates any other.
func notificationSwitch(ctx context.Context, r *request) (any, error) {
	webhook, err := r.setting(ctx)
	if err != nil {
		return nil, err
	}
	status := v1.WebhookPaused
	if webhook.Status != v1.WebhookActive {
		status = v1.WebhookActive
	}
	return r.run(ctx, v1.UpdateWebhook.Operation, map[string]string{"id": webhook.ID.String()}, "", []byte(`{"status":"`+status+`"}`))
}

// notificationTest sends a sample to each setting of a type.
func notificationTest(ctx context.Context, r *request) (any, error) {
	webhooks, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	wanted, err := translate.TypeEvents.ToV1(r.fields.Text("notificationType"))
	if err != nil {
		return nil, refuse(v1.UnknownEvent)
	}
	var result any
	for _, webhook := range webhooks {
		events, err := webhook.Events.Value()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(events, wanted) {
			continue
		}
		if result, err = r.run(ctx, v1.TestWebhook.Operation, map[string]string{"id": webhook.ID.String()}, "", r.decoded.Body); err != nil {
			return nil, err
		}
	}
	if result == nil {
		return nil, refuse(v1.WebhookNotFound)
	}
	return result, nil
}

// refuse returns an error with one code and the catalogue's message.
func refuse(code v1.Code) v1.Errors {
	info, _ := v1.LookupError(code)
	return v1.Errors{{Code: code, Message: info.Meaning}}
}
