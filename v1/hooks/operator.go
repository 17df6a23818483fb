package hooks

import (
	"context"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/operators"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file pauses and resumes the webhooks of sellers, for the operator.

// Operator are the operator's endpoints of webhooks.
var Operator = []*core.Operation{OperatorSetWebhookStatus.Operation}

// OperatorSetWebhookStatus pauses and resumes a webhook.
var OperatorSetWebhookStatus = core.NewOp("OperatorSetWebhookStatus", "PUT", "/operator/webhooks/{id}/status", 200, (*Webhooks).operatorSetStatus,
	core.For(operators.Support),
	core.Doc("Pauses a webhook, whose events are then held, or makes it active: what was held is sent, also to one that was disabled."))

// OperatedStatusInput is the wanted status of a webhook.
type OperatedStatusInput struct {
	ID     wire.WebhookID `path:"id" missing:"webhook_not_found"`
	Wanted OperatedStatus `body:"json"`
}

// OperatedStatus is whether events are sent to a webhook.
type OperatedStatus struct {
	Status wire.Opt[string] `json:"status" validate:"required,oneof=active paused"`
}

// OperatedWebhook is a webhook as the operator changed it.
type OperatedWebhook struct {
	ID             wire.WebhookID   `json:"id"`
	AccountID      wire.ID          `json:"account_id"`
	Status         string           `json:"status" enum:"active paused disabled"`
	DisabledReason wire.Opt[string] `json:"disabled_reason" enum:"failing gone"`
}

func operatedFrom(row *ent.Webhook) *OperatedWebhook {
	return &OperatedWebhook{wire.WebhookID(row.ID), wire.ID(core.Owner(row.Owner).Account()), row.Status, wire.Maybe(row.DisabledReason)}
}

// operatorSetStatus changes the status as the seller's own change of it does.
func (s *Webhooks) operatorSetStatus(ctx context.Context, c *core.Call, in *OperatedStatusInput) (*OperatedWebhook, error) {
	row, err := s.Store.Reader().Webhook.Get(ctx, int64(in.ID))
	if err != nil {
		return nil, core.NotLoaded(err, refusal.WebhookNotFound, "webhook", int64(in.ID))
	}
	if err := s.ActAs(ctx, c, core.Owner(row.Owner)); err != nil {
		return nil, err
	}
	c.May, core.TraceFrom(ctx).Object = permission.All, in.ID.String()
	c.Audits(in.ID.String(), func(ctx context.Context, tx *ent.Client) (any, error) {
		row, err := tx.Webhook.Get(ctx, int64(in.ID))
		if err != nil {
			return nil, err
		}
		return operatedFrom(row), nil
	})
	wire.CheckRules(&in.Wanted, "", &c.Problems)
	patch := wire.Patch[WebhookPatch]{To: WebhookPatch{Status: in.Wanted.Status}, Fields: []string{"status"}}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*OperatedWebhook, error) {
		row, err := tx.lockWebhook(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if _, err := tx.patchWebhook(ctx, c, row, &patch); err != nil {
			return nil, err
		}
		c.Meta.ETag = "" // of what a seller reads
		if row, err = tx.Webhook.Get(ctx, row.ID); err != nil {
			return nil, err
		}
		return operatedFrom(row), nil
	})
}
