package lineartest

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// If-Match: clients read an item, and change it only if it is still what they have read. No change is lost: of several
// changes of one version, one is made.

// versioned is an item that is changed only as it was read.
type versioned struct {
	id    string
	begin version
}

// version is a version of the item. The tag is empty if no client has had it.
type version struct{ Tag, Title string }

// patchIf is a change of a version.
type patchIf struct{ Tag, Title string }

func (v *versioned) next(rng *rand.Rand, m *memory) request {
	if m.tag == "" || rng.IntN(3) == 0 {
		return v.read(m)
	}
	title := fmt.Sprintf("Version %d of client %d", m.sent, m.client)
	return request{
		method: http.MethodPatch, path: "/v1/items/" + v.id, tag: m.tag, body: map[string]any{"title": title},
		in: patchIf{m.tag, title}, out: versionOf(m),
	}
}

func (v *versioned) last(m *memory) []request { return []request{v.read(m)} }

func (v *versioned) read(m *memory) request {
	return request{method: http.MethodGet, path: "/v1/items/" + v.id, in: reading{}, out: versionOf(m)}
}

func versionOf(m *memory) func(blackbox.Answer) (any, error) {
	return func(got blackbox.Answer) (any, error) {
		shown, err := itemOf(got)
		if err != nil {
			return nil, err
		}
		m.tag = got.ETag
		return version{got.ETag, shown.(item).Title}, nil
	}
}

func (v *versioned) model([]porcupine.Operation) porcupine.Model {
	return modelOf(v.begin, func(now version, in, out any) (version, bool) {
		asked, changes := in.(patchIf)
		if !changes {
			seen, ok := out.(version)
			return seen, ok && seen.Title == now.Title && (now.Tag == "" || now.Tag == seen.Tag)
		}
		matches := now.Tag == asked.Tag
		switch out := out.(type) {
		case unknown:
			if matches {
				now = version{Title: asked.Title}
			}
			return now, true
		case refused:
			return now, !matches && out.Code == "precondition_failed"
		case version:
			return out, matches && out.Title == asked.Title && out.Tag != asked.Tag
		}
		return now, false
	})
}
