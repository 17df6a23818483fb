package legacy

import (
	"context"

	"sellerd/translate"
	"sellerd/v1"
)

// This file answers the calls that need no operation.

func serverTime(_ context.Context, r *request) (any, error) {
	return &translate.ServerTime{Time: v1.TimeOf(r.handler.Clock.Now())}, nil
}

func formFields(_ context.Context, r *request) (any, error) {
	fields, ok := translate.FormFields(r.path["sale_type"])
	if !ok {
		return nil, refuse(v1.RouteNotFound)
	}
	return fields, nil
}

func closeReasons(context.Context, *request) (any, error) { return translate.CloseReasonWords(), nil }

func notificationTypes(context.Context, *request) (any, error) {
	return translate.NotificationTypeWords(), nil
}
