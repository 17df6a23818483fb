package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"
	"time"

	"sellerd/v1/client"
)

func TestAWebhookInEveryForm(t *testing.T) {
	key := []byte("a key of the right length")
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	body := []byte(`{"id":"evt_1"}`)
	sign := func(at time.Time) (timestamp, signature string) {
		timestamp = strconv.FormatInt(at.Unix(), 10)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("evt_1." + timestamp + "." + string(body)))
		return timestamp, "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	const (
		noSecret  = "the secret is missing or malformed: it is whsec_ and base64"
		unmatched = "no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte"
	)
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	timestamp, signature := sign(now)
	soon, signedSoon := sign(now.Add(900 * time.Second))
	old, signedLong := sign(now.Add(-900 * time.Second))
	signed := func(id, timestamp, signature string) http.Header {
		return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
	}
	for name, test := range map[string]struct {
		secret string
		header http.Header
		want   string
	}{
		"as net/http spells":       {secret, signed("evt_1", timestamp, signature), ""},
		"lower case":               {secret, http.Header{"webhook-id": {"evt_1"}, "webhook-timestamp": {timestamp}, "webhook-signature": {signature}}, ""},
		"upper case":               {secret, http.Header{"WEBHOOK-ID": {"evt_1"}, "WEBHOOK-TIMESTAMP": {timestamp}, "WEBHOOK-SIGNATURE": {signature}}, ""},
		"blanks around a value":    {secret, signed(" evt_1 ", timestamp+" ", " "+signature), ""},
		"two signatures in a list": {secret, http.Header{"Webhook-Id": {"evt_1"}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {"v1,AAAA", signature}}, ""},
		"two signatures":           {secret, signed("evt_1", timestamp, "v1,AAAA "+signature), ""},
		"a secret with a line end": {secret + "\r\n", signed("evt_1", timestamp, signature), ""},
		"a secret with blanks":     {" \t" + secret, signed("evt_1", timestamp, signature), ""},
		"a secret without whsec_":  {secret[len("whsec_"):], signed("evt_1", timestamp, signature), ""},
		"an empty secret":          {"\n", signed("evt_1", timestamp, signature), noSecret},
		"another language":         {"whsec_é", signed("evt_1", timestamp, signature), noSecret},
		"no headers":               {secret, nil, "the header webhook-id is missing"},
		"no timestamp":             {secret, signed("evt_1", "", signature), "the header webhook-timestamp is missing"},
		"no signature":             {secret, signed("evt_1", timestamp, " "), "the header webhook-signature is missing"},
		"a timestamp in words":     {secret, signed("evt_1", "2026-11-21T12:00:00Z", signature), "webhook-timestamp is not a time in Unix seconds"},
		"a timestamp with a sign":  {secret, signed("evt_1", "+"+timestamp, signature), "webhook-timestamp is not a time in Unix seconds"},
		"a slow clock": {
			secret, signed("evt_1", soon, signedSoon), "webhook-timestamp is 900 seconds ahead of the clock of this machine, more than 300: set the clock",
		},
		"a fast clock": {
			secret, signed("evt_1", old, signedLong),
			"webhook-timestamp is 900 seconds behind the clock of this machine, more than 300: set the clock, unless somebody repeats an old request",
		},
		"another id": {secret, signed("evt_2", timestamp, signature), unmatched},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := client.VerifyWebhook(test.secret, test.header, body, now); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
