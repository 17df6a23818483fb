package v1

import "net/http"

// WebhookClient is the client that sends events, for a test of its guard.
func (s *Service) WebhookClient() *http.Client { return s.config.Webhooks }

// ChangesAtOnce is how many changes of one owner have a connection.
const ChangesAtOnce = changesAtOnce

// ChangesWaiting is how many changes of an owner run or wait for their turns.
func (s *Service) ChangesWaiting(owner Owner) int { return s.ownerTurns.Len(owner) }

// AnswersBegin is how the ids of an owner's stored answers begin.
func AnswersBegin(owner Owner) string { return answersBegin(int64(owner)) }
