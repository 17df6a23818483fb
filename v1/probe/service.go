package probe

import (
	"net/http"

	v1 "sellerd/v1"
	"sellerd/v1/core"
)

// WebhookClient is the client that sends events, for a test of its guard.
func WebhookClient(s *v1.Service) *http.Client { return s.Config.Webhooks }

// ChangesAtOnce is how many changes of one owner have a connection.
const ChangesAtOnce = core.ChangesAtOnce

// ChangesWaiting is how many changes of an owner run or wait for their turns.
func ChangesWaiting(s *v1.Service, owner core.Owner) int { return s.ChangesOf(owner) }

// AnswersBegin is how the ids of an owner's stored answers begin.
func AnswersBegin(owner core.Owner) string { return core.AnswersBegin(int64(owner)) }
