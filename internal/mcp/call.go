package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	v1 "sellerd/v1"
	"sellerd/v1/client"
)

// defaultLimit is how many entries of a list are asked for if the call does not say. An agent reads every one of them.
const defaultLimit = 20

// call sends the request of a call and returns the answer.
func (s *Server) call(ctx context.Context, o *operation, args *arguments) (string, error) {
	r, err := args.request(o)
	if err != nil {
		return "", err
	}
	offset, show := args.number(argOffset), args.flag(argShowSecret, false)
	if o.takes("limit") && !r.Query.Has("limit") {
		r.Query.Set("limit", strconv.Itoa(defaultLimit))
	}
	if r.Method == http.MethodPost {
		r.IdempotencyKey = s.idempotencyKey(r, args)
	}
	if body, _ := r.Body.([]byte); !show && o.rotates(body) {
		args.fail(v1.MissingParameter, argShowSecret, "Nothing is sent. The new secret must be stored at once, because each rotation ends "+
			"an older secret. Repeat the call with "+argShowSecret+": true.")
	}
	if err := args.first(); err != nil {
		return "", err
	}
	answer, err := s.fitting(ctx, o, r)
	if err != nil {
		return "", err
	}
	out := newAnswer(o.id, answer, r.IdempotencyKey)
	if o.makesSecret() && !show {
		out.hideSecret()
	}
	if o.reads() {
		return part(out.text(), offset)
	}
	return beginning(out.text(), "The change is done. Read the object for the rest."), nil
}

// idempotencyKey is the key of a POST: that of the call, or one that follows from the request. So a call that an agent or its host
// repeats, because no answer reached it, is done once.
func (s *Server) idempotencyKey(r client.Request, args *arguments) string {
	if given := args.visible(argKey); given != "" {
		return given
	}
	body, _ := r.Body.([]byte)
	canonical := jsontext.Value(slices.Clone(body))
	if len(canonical) > 0 && canonical.Canonicalize() != nil {
		canonical = body // the service says what is wrong with it
	}
	sum := sha256.New()
	for _, part := range []string{s.session, r.Method, r.Path, r.Query.Encode(), strings.Join(r.Header["If-Match"], ","), string(canonical)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return "mcp-" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// fitting sends a request. If a page of a list is larger than a message, it asks for fewer entries, so that the cursor is right for
// what is shown.
func (s *Server) fitting(ctx context.Context, o *operation, r client.Request) (*client.Answer, error) {
	for {
		answer, err := s.api.Do(ctx, r)
		if err != nil {
			return nil, s.sent(r, err)
		}
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		if !o.takes("limit") || limit <= 1 || len(answer.Data) <= maxText-maxFrame {
			return answer, nil
		}
		var page struct {
			Results []jsontext.Value `json:"results"`
		}
		if json.Unmarshal(answer.Data, &page) != nil || len(page.Results) <= 1 {
			return answer, nil //nolint:nilerr // only a list can be shortened
		}
		r.Query.Set("limit", strconv.Itoa(max(1, min(limit, len(page.Results))*(maxText-maxFrame)/len(answer.Data)*9/10)))
	}
}
