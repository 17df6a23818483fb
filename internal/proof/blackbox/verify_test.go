package blackbox

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The secrets of an endpoint, oldest first, and one of another endpoint.
const (
	first  = "whsec_Zmlyc3RmaXJzdGZpcnN0Zmlyc3Q="
	second = "whsec_c2Vjb25kc2Vjb25kc2Vjb25kc2Vj"
	third  = "whsec_dGhpcmR0aGlyZHRoaXJkdGhpcmR0"
	other  = "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJv"
)

// TestVerifier holds the judge of all deliveries to what a receiver in the middle of a rotation accepts: it trusts the
// second and the third secret.
func TestVerifier(t *testing.T) {
	for name, c := range map[string]struct {
		signers    []string
		body       string
		signatures int
		refused    bool
	}{
		"the newest secret":                        {[]string{third}, "{}", 1, false},
		"the newest secret and the one before":     {[]string{third, second}, "{}", 2, false},
		"the secret before the newest":             {[]string{second}, "{}", 1, false},
		"a secret that was live long ago":          {[]string{first}, "{}", 0, true},
		"another endpoint's secret":                {[]string{other}, "{}", 0, true},
		"other bytes than those that were signed":  {[]string{third}, "{ }", 0, true},
		"no signature at all":                      {nil, "{}", 0, true},
		"a live secret and one that is not known":  {[]string{third, other}, "{}", 0, false}, // the end of the test decides
		"the secrets of before the newest, of two": {[]string{second, first}, "{}", 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := &verifier{secrets: map[string][]string{}}
			for _, secret := range []string{first, second, third} {
				v.trust("endpoint", secret)
			}
			got, err := v.verify("endpoint", signed(t, c.signers), []byte(c.body))
			if got != c.signatures || (err != nil) != c.refused {
				t.Errorf("%d signatures, %v", got, err)
			}
		})
	}
}

// signed are the headers of a delivery with the body {}.
func signed(t *testing.T, secrets []string) http.Header {
	t.Helper()
	at := time.Now()
	var signatures []string
	for _, secret := range secrets {
		hook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := hook.Sign("evt_1", at, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, "evt_1")
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return header
}
