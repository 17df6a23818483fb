package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// said is what an answer says: its language, and the messages of its entries.
type said struct {
	Language string
	Messages []string
}

func saidBy(t *testing.T, got servertest.Response) said {
	t.Helper()
	out := said{Language: got.Header.Get("Content-Language")}
	type messages []servertest.ErrorEntry
	data := servertest.Into[struct {
		Errors   messages `json:"errors"`
		Warnings messages `json:"warnings"`
		Results  []struct {
			Errors messages `json:"errors"`
		} `json:"results"`
	}](t, got)
	all := append(data.Errors, data.Warnings...)
	for _, result := range data.Results {
		all = append(all, result.Errors...)
	}
	for _, e := range all {
		out.Messages = append(out.Messages, e.Message)
	}
	return out
}

func in(language string) map[string]string { return map[string]string{"Accept-Language": language} }

// The answer to a batch has messages. It is stored in English, and a replay is in the language of the request that is replayed.
func TestABatchIsAnsweredAndReplayedInTheLanguageOfEachRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		wrong := servertest.FixedPrice(map[string]any{"category_id": "7"})
		batch := map[string]any{"items": []any{servertest.FixedPrice(), wrong}}
		send := func(key, language string) servertest.Response {
			header := in(language)
			header["Idempotency-Key"] = key
			return w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: batch, Header: header})
		}
		french, german := said{"fr", []string{"La catégorie 7 n'existe pas."}}, said{"de", []string{"Es gibt keine Kategorie 7."}}
		english := said{"en", []string{"There is no category 7."}}
		for _, first := range []struct {
			language string
			want     said
		}{{"fr", french}, {"en", english}} {
			key := "begun-in-" + first.language
			answer := send(key, first.language)
			if diff := cmp.Diff(first.want, saidBy(t, answer)); diff != "" {
				t.Errorf("the answer in %s (-want +got):\n%s", first.language, diff)
			}
			for _, want := range []said{german, english, french} {
				again := send(key, want.Language)
				if diff := cmp.Diff(want, saidBy(t, again)); diff != "" || again.Header.Get("Idempotent-Replayed") != "true" {
					t.Errorf("the replay in %s of what began in %s (-want +got):\n%s", want.Language, first.language, diff)
				}
				if want.Language == first.language && again.Body != answer.Body {
					t.Errorf("the replay in %s is\n%s and not\n%s", first.language, again.Body, answer.Body)
				}
			}
		}
	})
}

func TestManyChangesAreAnsweredInTheLanguageOfTheRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Header: in("nl"), Body: map[string]any{"changes": []any{
			map[string]any{"item_id": item, "patch": map[string]any{"title": "Other"}}, map[string]any{"item_id": "1", "close": map[string]any{}},
		}}})
		if diff := cmp.Diff(said{"nl", []string{"Dit artikel bestaat niet."}}, saidBy(t, got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got = w.Do(t, servertest.Request{Path: "/v1/item-changes", Header: in("nl"), Body: map[string]any{"changes": []any{
			map[string]any{"item_id": item, "patch": map[string]any{"title": "Another"}},
		}}}); got.Header.Get("Content-Language") != "en" {
			t.Errorf("without messages: %s", got.Header.Get("Content-Language"))
		}
	})
}

// What the publisher has stored is read in any language, each with its own entity tag.
func TestASubmissionIsReadInTheLanguageOfTheRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		images := []any{map[string]any{"url": w.ImageURL(t, "outcome/not-an-image.jpg")}}
		submitted := w.Do(t, servertest.Request{Path: "/v1/items", Header: in("it"), Body: servertest.FixedPrice(map[string]any{"images": images})})
		path := submitted.Header.Get("Location")
		if diff := cmp.Diff(said{Language: "en"}, saidBy(t, submitted)); diff != "" {
			t.Errorf("without messages (-want +got):\n%s", diff)
		}
		w.Publish(t)
		tags := map[string]bool{}
		for _, want := range []said{
			{"en", []string{"None of the images could be used, so the item was not published.", "The file is not a JPEG, PNG, WebP or GIF image."}},
			{"it", []string{"Nessuna delle immagini era utilizzabile, quindi l'oggetto non è stato pubblicato.", "Il file non è un'immagine JPEG, PNG, WebP o GIF."}},
			{"es", []string{"No se pudo usar ninguna de las imágenes, así que el artículo no se publicó.", "El archivo no es una imagen JPEG, PNG, WebP o GIF."}},
		} {
			got := w.Do(t, servertest.Request{Path: path, Header: in(want.Language)})
			if diff := cmp.Diff(want, saidBy(t, got)); diff != "" {
				t.Errorf("in %s (-want +got):\n%s", want.Language, diff)
			}
			header := in(want.Language)
			header["If-None-Match"] = got.Header.Get("ETag")
			again := w.Do(t, servertest.Request{Path: path, Header: header})
			if diff := cmp.Diff([]any{http.StatusNotModified, want.Language}, []any{again.Status, again.Header.Get("Content-Language")}); diff != "" {
				t.Errorf("unchanged in %s (-want +got):\n%s", want.Language, diff)
			}
			tags[got.Header.Get("ETag")] = true
		}
		if len(tags) != 3 {
			t.Errorf("the languages have %d entity tags", len(tags))
		}
	})
}

// A batch shows its submissions with their messages, of all of them in one language.
func TestABatchIsReadInTheLanguageOfTheRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		images := []any{map[string]any{"url": w.ImageURL(t, "outcome/not-an-image.jpg")}}
		item := servertest.FixedPrice(map[string]any{"images": images})
		batch := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{item, item}}})
		w.Publish(t)
		got := w.Do(t, servertest.Request{Path: batch.Header.Get("Location"), Header: in("de")})
		counted := []any{got.Header.Get("Content-Language")}
		for _, message := range []string{
			"Keines der Bilder war zu verwenden, daher wurde der Artikel nicht veröffentlicht.", "Die Datei ist kein Bild im Format JPEG, PNG, WebP oder GIF.",
		} {
			counted = append(counted, strings.Count(got.Body, message))
		}
		if diff := cmp.Diff([]any{"de", 2, 2}, counted); diff != "" {
			t.Errorf("the language, and how often it has each message (-want +got):\n%s\n%s", diff, got.Body)
		}
	})
}
