package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the clock of a webhook's sender may be from that of its receiver, and how long a request can be replayed.
const Tolerance = 5 * time.Minute

// VerifyWebhook fails unless a request with these headers and this body was signed with the secret (whsec_…) within Tolerance of now. The
// names of the headers may be in any case, as gateways hand them on. body is what was received, unchanged.
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(secret), "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("the secret is missing or malformed: it is whsec_ and base64")
	}
	id, timestamp := headerText(header, "webhook-id"), headerText(header, "webhook-timestamp")
	signatures := headerText(header, "webhook-signature")
	for _, of := range [][2]string{{"webhook-id", id}, {"webhook-timestamp", timestamp}, {"webhook-signature", signatures}} {
		if of[1] == "" {
			return fmt.Errorf("the header %s is missing", of[0])
		}
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 36)
	if err != nil {
		return errors.New("webhook-timestamp is not a time in Unix seconds")
	}
	switch ahead := time.Unix(int64(seconds), 0).Sub(now); {
	case ahead > Tolerance:
		return fmt.Errorf("webhook-timestamp is %.0f seconds ahead of the clock of this machine, more than %.0f: set the clock", ahead.Seconds(),
			Tolerance.Seconds())
	case -ahead > Tolerance:
		return fmt.Errorf("webhook-timestamp is %.0f seconds behind the clock of this machine, more than %.0f: set the clock, unless somebody repeats an old request",
			-ahead.Seconds(), Tolerance.Seconds())
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(signatures) {
		if hmac.Equal([]byte(signature), []byte(want)) {
			return nil
		}
	}
	return errors.New("no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte")
}

// headerText is the values of a header, by its name in any case: a header that came through a gateway is not spelled as Get expects.
func headerText(header http.Header, name string) string {
	var values []string
	for other, of := range header {
		if strings.EqualFold(other, name) {
			values = append(values, of...)
		}
	}
	return strings.TrimSpace(strings.Join(values, " "))
}
