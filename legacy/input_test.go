package legacy_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

const (
	form  = "application/x-www-form-urlencoded"
	latin = "; charset=iso-8859-1"
)

// part is a part of a multipart body: its name as its header has it, its own type and its text.
type part struct{ disposition, contentType, text string }

// multipartBody makes a body as PHP's curl sends it for arrays.
func multipartBody(t *testing.T, parts ...part) (contentType string, body io.Reader) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {"form-data; " + p.disposition}}
		if p.contentType != "" {
			header.Set("Content-Type", p.contentType)
		}
		if out, err := w.CreatePart(header); err != nil {
			t.Fatal(err)
		} else if _, err := io.WriteString(out, p.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), &b
}

// newItem is a form that lists an item. A field that is repeated after it replaces its own.
const newItem = "id_category=1010101&title=Lot&fixed_price=12.5&"

// TestFieldsAreReadAsOldProgramsSendThem lists items and reads their references back, which come from the fields.
func TestFieldsAreReadAsOldProgramsSendThem(t *testing.T) {
	parts := func(t *testing.T, contentType string, more ...part) (string, io.Reader) {
		media, body := multipartBody(t, append([]part{{`name="id_category"`, "", "1010101"}, {`name="title"`, "", "Lot"}, {`name="fixed_price"`, "", "12.5"}}, more...)...)
		return media + contentType, body
	}
	each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name  string
			query string
			body  func(t *testing.T) (contentType string, body io.Reader)
			want  string // the reference
		}{
			{"a form", "", text(form, newItem+"personal_reference=R1"), "R1"},
			{"a form of no type", "", text("", newItem+"personal_reference=R2"), "R2"},
			{"the query", "?" + newItem + "personal_reference=R3", text("", ""), "R3"},
			{"a body that says otherwise than the query", "?personal_reference=Q", text(form, newItem+"personal_reference=R4"), "R4"},
			{"the last of two", "", text(form, newItem+"personal_reference=Q&personal_reference=R5"), "R5"},
			{"escapes", "", text(form, newItem+"personal_reference=%C3%A9+%26+%E2%82%AC"), "é & €"},
			{"UTF-8 as it is", "", text(form+"; charset=UTF-8", newItem+"personal_reference=é€"), "é€"},
			{"a form that ends as a file does", "", text(form, newItem+"personal_reference=R6\r\n"), "R6"},
			{"a form with a byte order mark", "", text(form, "\ufeffpersonal_reference=R7&"+newItem), "R7"},
			{"Latin-1 in escapes", "", text(form+latin, newItem+"personal_reference=caf%E9"), "café"},
			{"Latin-1 as it is", "", text(form+"; charset=LATIN1", newItem+"personal_reference=caf\xe9"), "café"},
			{"Windows-1252", "", text(form+"; charset=windows-1252", newItem+"personal_reference=%80+5"), "€ 5"},
			{"Windows-1252 as Python names it", "", text(form+"; charset=cp1252", newItem+"personal_reference=%80+7"), "€ 7"},
			{"multipart", "", func(t *testing.T) (string, io.Reader) {
				return parts(t, "", part{`name="personal_reference"`, "", "M1"}, part{`name="images[0]"`, "", ""}, part{`name="subtitle"; filename=""`, "", ""})
			}, "M1"},
			{"multipart in Latin-1", "", func(t *testing.T) (string, io.Reader) {
				return parts(t, latin, part{`name="personal_reference"`, "", "caf\xe92"})
			}, "café2"},
			{"a part in Latin-1", "", func(t *testing.T) (string, io.Reader) {
				return parts(t, "", part{`name="personal_reference"`, "text/plain" + latin, "caf\xe93"})
			}, "café3"},
			{"a quoted-printable part in UTF-8", "", func(t *testing.T) (string, io.Reader) {
				return parts(t, "", part{`name="personal_reference"`, "text/plain; charset=utf-8", "café4"})
			}, "café4"},
		} {
			t.Run(test.name, func(t *testing.T) {
				contentType, body := test.body(t)
				r := asked(httptest.NewRequest("POST", "/rest/item"+test.query, body), w.Key)
				if contentType != "" {
					r.Header.Set("Content-Type", contentType)
				}
				got := w.RestRequest(t, r)
				if got.Status != http.StatusOK || got.Text("body/personal_reference") != test.want {
					t.Errorf("want %q, got %d %s", test.want, got.Status, got.Body)
				}
				for _, warning := range got.Texts("headers/warning") {
					if warning != "dropped personal_reference: It came more than once: the last one counts." {
						t.Errorf("warning: %s", warning)
					}
				}
			})
		}
	})
}

func text(contentType, body string) func(*testing.T) (string, io.Reader) {
	return func(*testing.T) (string, io.Reader) { return contentType, strings.NewReader(body) }
}

func TestListsAreReadInAllSpellings(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		first, second := servertest.PublicImages+"stamp-01.png", servertest.PublicImages+"stamp-02.png"
		for name, images := range map[string]string{
			"images[]": "images[]=" + first + "&images[]=" + second, "images[0]": "images[0]=" + first + "&images[1]=" + second,
			"escaped brackets": "images%5B%5D=" + first + "&images%5B%5D=" + second,
		} {
			t.Run(name, func(t *testing.T) {
				listed := w.Rest(t, "POST", "/rest/item", newItem+"personal_reference=R&"+images, "X-Api-Key", w.Key)
				if listed.Status != http.StatusOK {
					t.Fatalf("%d %s", listed.Status, listed.Body)
				}
			})
		}
		w.Publish(t)
		type listed struct {
			Images []any `json:"images"`
		}
		items := servertest.Into[struct {
			Results []listed `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/items"})).Results
		if len(items) != 1 || len(items[0].Images) != 2 { // the three are the same create
			t.Errorf("want one item with two images, got %+v", items)
		}
	})
}

func TestEveryMethodHasABody(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		changed := w.Rest(t, "PUT", "/rest/item/"+item, "title=Changed", "X-Api-Key", w.Key)
		read := w.RestRequest(t, asked(httptest.NewRequest("GET", "/rest/item/"+item, strings.NewReader("foo=1")), w.Key))
		closed := w.Rest(t, "DELETE", "/rest/item/"+item, "reason=LostOrBrokenItem", "X-Api-Key", w.Key)
		got := []string{changed.Text("body/status"), read.Text("body/item/title"), read.Text("headers/warning"), closed.Text("body/status")}
		want := []string{"true", "Changed", "unknown foo: This call has no such field: it means nothing.", "true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s\n%s", diff, changed.Body, closed.Body)
		}
		reason := servertest.Into[map[string]any](t, w.Do(t, servertest.Request{Path: "/v1/items/" + item}))["close_reason"]
		if reason != "lost_or_broken" {
			t.Errorf("it was closed for %v", reason)
		}
	})
}

func TestBodiesThatAreNotRead(t *testing.T) {
	laughs := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><l>&c;</l>`
	media, file := multipartBody(t, part{`name="images[0]"; filename="stamp.png"`, "image/png", "PNG"})
	cutMedia, cut := multipartBody(t, part{`name="title"`, "", "Lot"})
	half, err := io.ReadAll(io.LimitReader(cut, 80))
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 192<<10)
	w := newWorld(t, servertest.SQLite(t))
	for _, test := range []struct {
		name, path, contentType string
		body                    io.Reader
		header                  []string
		want                    outcome
		message                 string
	}{
		{
			"JSON", "/rest/item", "application/json", strings.NewReader(`{"title":"x"}`), nil,
			outcome{415, "unsupported_media_type"},
			"Content-Type: Send the fields as application/x-www-form-urlencoded or multipart/form-data.",
		},
		{
			"a billion laughs", "/rest/item", "text/xml", strings.NewReader(laughs), nil,
			outcome{415, "unsupported_media_type"},
			"Content-Type: Send the fields as application/x-www-form-urlencoded or multipart/form-data.",
		},
		{
			"a type that cannot be read", "/rest/item", "form; charset", strings.NewReader("a=1"), nil,
			outcome{415, "unsupported_media_type"},
			"Content-Type: Send the fields as application/x-www-form-urlencoded or multipart/form-data.",
		},
		{
			"another character set", "/rest/item", form + "; charset=utf-16", strings.NewReader("a=1"), nil,
			outcome{415, "unsupported_media_type"},
			"Content-Type: Send text in UTF-8, ISO-8859-1 or Windows-1252.",
		},
		{
			"a compressed body", "/rest/item", form, strings.NewReader("\x1f\x8b"),
			[]string{"Content-Encoding", "gzip"},
			outcome{415, "unsupported_media_type"},
			"Content-Encoding: Send the body uncompressed.",
		},
		{"a file", "/rest/item", media, file, nil, outcome{422, "invalid_value"}, "images[0]: is a file. Files are not taken: send the address of an image."},
		{"half a multipart body", "/rest/item", cutMedia, bytes.NewReader(half), nil, outcome{400, "malformed_json"}, "The body is not encoded as multipart/form-data."},
		{
			"multipart without a boundary", "/rest/item", "multipart/form-data", strings.NewReader("x"), nil,
			outcome{400, "malformed_json"},
			"The body is not encoded as multipart/form-data.",
		},
		{
			"a broken escape", "/rest/item", form, strings.NewReader("title=100%"), nil,
			outcome{400, "malformed_json"},
			"A field is not encoded as application/x-www-form-urlencoded.",
		},
		{"brackets that do not end", "/rest/item", form, strings.NewReader("images[=x"), nil, outcome{422, "invalid_value"}, "A field's brackets cannot be understood."},
		{
			"Latin-1 that is not declared", "/rest/item", form, strings.NewReader("title=caf%E9"), nil,
			outcome{422, "invalid_value"},
			"title: is not UTF-8. Say the character set in Content-Type: charset=iso-8859-1.",
		},
		{
			"a name that is no text", "/rest/item", form, strings.NewReader("%E9=1"), nil,
			outcome{422, "invalid_value"},
			"\ufffd: is not UTF-8. Say the character set in Content-Type: charset=iso-8859-1.",
		},
		{
			"Latin-1 in the query", "/rest/item?title=caf%E9", form + latin, strings.NewReader("a=1"), nil,
			outcome{422, "invalid_value"},
			"title: is not UTF-8. Say the character set in Content-Type: charset=iso-8859-1.",
		},
		{"a body that is too large", "/rest/item", form, strings.NewReader("a=" + large), nil, outcome{413, "payload_too_large"}, "The body is larger than 196608 bytes."},
		{"a body of unknown length that is too large", "/rest/item", form, io.MultiReader(strings.NewReader("a="), strings.NewReader(large)), nil, outcome{
			413,
			"payload_too_large",
		}, "The body is larger than 196608 bytes."},
		{
			"a bulk that is too large", "/rest/items", form, strings.NewReader("a=" + strings.Repeat(large, 32)), nil,
			outcome{413, "payload_too_large"},
			"The body is larger than 6291456 bytes.",
		},
		{
			"a bulk of too many fields", "/rest/items", form, strings.NewReader(strings.Repeat("a&", 100_001)), nil,
			outcome{413, "payload_too_large"},
			"The request has too many fields.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := asked(httptest.NewRequest("POST", test.path, test.body), w.Key)
			r.Header.Set("Content-Type", test.contentType)
			for i := 0; i+1 < len(test.header); i += 2 {
				r.Header.Set(test.header[i], test.header[i+1])
			}
			got := w.RestRequest(t, r)
			if diff := cmp.Diff(test.want, outcomeOf(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.message, got.Text("body/errorMsg")); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThereIsNoOtherWayToSayTheMethod(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		got := w.Rest(t, "POST", "/rest/item/"+item, "reason=TestItem", "X-Api-Key", w.Key, "X-HTTP-Method-Override", "DELETE")
		if diff := cmp.Diff(outcome{405, "method_not_allowed"}, outcomeOf(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
