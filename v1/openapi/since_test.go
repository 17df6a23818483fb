package openapi_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/openapitest"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// TestTheReleasesHaveWhatTheyAnnounced reads from the document what came after the first release. An operation that was announced
// never moves to another release.
func TestTheReleasesHaveWhatTheyAnnounced(t *testing.T) {
	document := openapitest.Load(t, openapi.Document)
	got := map[string][]string{}
	add := func(since any, thing string) {
		if release, ok := since.(string); ok {
			got[release] = append(got[release], thing)
		}
	}
	first := 0
	for _, o := range v1.Operations {
		operation := document.Paths.Value(o.Pattern).GetOperation(o.Method)
		add(operation.Extensions["x-since"], o.Name)
		if operation.Extensions["x-since"] != nil {
			continue // with all its parts
		}
		first++
		for _, parameter := range operation.Parameters {
			add(parameter.Value.Extensions["x-since"], o.Name+" "+parameter.Value.Name)
		}
		for status, response := range operation.Responses.Map() {
			add(response.Value.Extensions["x-since"], o.Name+" "+status)
		}
	}
	for name, schema := range document.Components.Schemas {
		for member, property := range schema.Value.Properties {
			if property.Ref != "" {
				add(property.Extensions["x-since"], name+"."+member)
			} else {
				add(property.Value.Extensions["x-since"], name+"."+member)
			}
		}
		values, _ := schema.Value.Extensions["x-enum-since"].(map[string]any)
		for value, since := range values {
			add(since, name+" "+value)
		}
	}
	for release := range got {
		slices.Sort(got[release])
	}
	if first != 30 {
		t.Errorf("%d operations came with the first release", first)
	}
	want := map[string][]string{
		"1.1.0": {"BrowseSales sort"},
		"1.2.0": {
			"AddTracking Idempotency-Key",
			"BrowseDeliveryServices 304",
			"BrowseDeliveryServices If-None-Match",
			"BrowseDeliveryServices active",
			"BrowseDeliveryServices country",
			"BrowseSales sale_type",
			"BrowseShippingModels 304",
			"BrowseShippingModels If-None-Match",
			"CloseItem 412",
			"CloseItem Idempotency-Key",
			"CloseItem If-Match",
			"Code batch_not_found",
			"Code delivery_not_found",
			"Code precondition_failed",
			"Code test_key_only",
			"CreateWebhook Idempotency-Key",
			"DeleteWebhook 412",
			"DeleteWebhook If-Match",
			"Error.docs_url",
			"GetAccount 304",
			"GetAccount If-None-Match",
			"GetBatch",
			"GetBill 304",
			"GetBill If-None-Match",
			"GetItem 304",
			"GetItem If-None-Match",
			"GetLegacyUsage",
			"GetRating 304",
			"GetRating If-None-Match",
			"GetSale 304",
			"GetSale If-None-Match",
			"GetSubmission 304",
			"GetSubmission If-None-Match",
			"MarkBillSent 412",
			"MarkBillSent Idempotency-Key",
			"MarkBillSent If-Match",
			"RateBuyer Idempotency-Key",
			"Redeliver",
			"RemoveTracking 412",
			"RemoveTracking If-Match",
			"RestartItem 412",
			"RestartItem Idempotency-Key",
			"RestartItem If-Match",
			"ReviseRating 412",
			"ReviseRating If-Match",
			"SimulateBid",
			"SimulateCancellation",
			"SimulateEnd",
			"SimulateInvoice",
			"SimulatePayment",
			"SimulatePurchase",
			"SubmissionStatus valid",
			"SubmitItem 200",
			"SubmitItem validate_only",
			"TestWebhook",
			"UpdateItem 412",
			"UpdateItem If-Match",
			"UpdateTracking 412",
			"UpdateTracking If-Match",
			"UpdateWebhook 412",
			"UpdateWebhook If-Match",
			"Webhook.format",
			"WebhookInput.format",
		},
		"1.2.1": {
			"BatchSummary.item_count",
			"BatchSummary.rejected_at_acceptance_count",
			"BatchSummary.rejected_at_publication_count",
			"ShippingModel.retired",
		},
		"1.3.0": {
			"Account.sandbox",
			"AccountKey.permissions",
			"BrowseDeliveryServices after",
			"BrowseDeliveryServices limit",
			"BrowseEvents",
			"BrowseItems exact_reference",
			"BrowseShippingModels after",
			"BrowseShippingModels limit",
			"BrowseTrackings after",
			"BrowseTrackings limit",
			"BrowseWebhooks after",
			"BrowseWebhooks limit",
			"ChangeItems",
			"Code cursor_expired",
			"Code event_not_found",
			"Code permission_denied",
			"Code reference_ambiguous",
			"Code tracking_limit_reached",
			"DeliveryTrigger recovery",
			"GetDelivery",
			"GetEvent",
			"GetTracking",
			"GetWebhook",
			"RecoverEvents",
			"ResetSandbox",
		},
		"1.4.0": {
			"BrowseLegacyDrills",
			"Code drill_limit_reached",
			"Code drill_not_found",
			"CreateLegacyDrill",
			"DeleteLegacyDrill",
			"GetLegacyDrill",
			"LegacyUsage.first_used_at",
			"LegacyUsage.last_used_at",
			"LegacyUsage.state",
			"LegacyUsageRow.drilled_at",
			"LegacyUsageRow.first_used_at",
			"LegacyUsageRow.state",
		},
		"1.6.0": {
			"BrowseBills forgotten_from",
			"BrowseKeys",
			"BrowseSales forgotten_from",
			"Buyer.forgotten_at",
			"Code key_already_rotated",
			"Code key_limit_reached",
			"Code unknown_key",
			"Event.cause",
			"ItemClosedEvent.cause",
			"ItemFirstBidEvent.cause",
			"ItemMovedEvent.cause",
			"ItemPublishedEvent.cause",
			"ItemRejectedEvent.cause",
			"ItemRestartedEvent.cause",
			"ItemSoldEvent.cause",
			"ItemUnsoldEvent.cause",
			"ItemUpdatedEvent.cause",
			"PaymentReceivedEvent.cause",
			"Permission buyers:read",
			"RevokeKey",
			"RotateKey",
			"SaleCancelledEvent.cause",
			"Webhook.changed",
			"Webhook.skip_key_ids",
			"WebhookInput.changed",
			"WebhookInput.skip_key_ids",
			"WebhookPatch.changed",
			"WebhookPatch.skip_key_ids",
		},
		"1.7.0": {"SubmitBatch 200", "SubmitBatch validate_only"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAHeaderAndACodeSayItForTheirOperation, for not every operation got them at once.
func TestAHeaderAndACodeSayItForTheirOperation(t *testing.T) {
	document := openapitest.Load(t, openapi.Document)
	for _, test := range []struct {
		operation    *v1.Operation
		status       int
		header, code string
		want         any
	}{
		{v1.SubmitItem.Operation, 202, "Idempotent-Replayed", "", nil},
		{v1.CloseItem.Operation, 200, "Idempotent-Replayed", "", "1.2.0"},
		{v1.SimulateEnd.Operation, 200, "Idempotent-Replayed", "", nil}, // it came with the operation
		{v1.GetItem.Operation, 200, "ETag", "", "1.2.0"},
		{v1.BrowseCategories.Operation, 200, "ETag", "", nil},
		{v1.CloseItem.Operation, 409, "Retry-After", "", "1.2.0"},
		{v1.SubmitItem.Operation, 409, "Retry-After", "", nil},
		{v1.CloseItem.Operation, 409, "", "idempotency_key_in_progress", "1.2.0"},
		{v1.CloseItem.Operation, 409, "", "item_has_bids", nil},
		{v1.SubmitItem.Operation, 409, "", "idempotency_key_in_progress", nil},
		{v1.RestartItem.Operation, 422, "", "idempotency_key_reused", "1.2.0"},
		{v1.GetItem.Operation, 200, "RateLimit", "", "1.3.0"},
		{v1.GetItem.Operation, 304, "RateLimit-Policy", "", "1.3.0"},
		{v1.GetItem.Operation, 404, "Link", "", "1.3.0"},
	} {
		response := document.Paths.Value(test.operation.Pattern).GetOperation(test.operation.Method).Responses.Status(test.status).Value
		var got any
		if test.header != "" {
			got = response.Headers[test.header].Value.Extensions["x-since"]
		} else {
			entry := response.Content.Get("application/json").Schema.Value.Properties["errors"].Value.Items.Value
			since, _ := entry.AllOf[1].Value.Properties["code"].Value.Extensions["x-enum-since"].(map[string]any)
			got = since[test.code]
		}
		if got != test.want {
			t.Errorf("%s %d says that %s%s came with %v instead of %v", test.operation.Name, test.status, test.header, test.code, got, test.want)
		}
	}
}
