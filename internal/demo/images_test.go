package demo

import (
	"bytes"
	"context"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestEveryPictureIsWhatItsNameSays(t *testing.T) {
	handler := Images()
	names := ImageNames()
	if len(names) != 24 {
		t.Errorf("%d pictures, want 24", len(names))
	}
	formats := map[string]string{".png": "png", ".jpg": "jpeg", ".gif": "gif"}
	seen := map[string]string{}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			answer := ask(handler, "GET", "/"+name, nil)
			body := answer.Body.Bytes()
			format := formats[path.Ext(name)]
			if got := answer.Header().Get("Content-Type"); got != "image/"+format {
				t.Errorf("content type %q, want image/%s", got, format)
			}
			img, got, err := image.Decode(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if got != format {
				t.Errorf("format %q, want %q", got, format)
			}
			size := img.Bounds().Size()
			if size.X < 200 || size.Y < 200 {
				t.Errorf("%v pixels, want at least 200 each way", size)
			}
			if look, ok := LookAt(name); !ok || look != (Look{size.X, size.Y, "image/" + format}) {
				t.Errorf("it is said to be %+v", look)
			}
			if len(body) > 60_000 {
				t.Errorf("%d bytes, want at most 60,000", len(body))
			}
			if twin, ok := seen[string(body)]; ok {
				t.Errorf("the same picture as %s", twin)
			}
			seen[string(body)] = name
		})
	}
}

func TestThereIsNothingToLookAtUnderOtherNames(t *testing.T) {
	if look, ok := LookAt("stamp-99.png"); ok {
		t.Errorf("stamp-99.png is said to be %+v", look)
	}
}

func TestPicturesAreCached(t *testing.T) {
	handler := Images()
	answer := ask(handler, "GET", "/stamp-01.png", nil)
	if got := answer.Header().Get("Cache-Control"); got != "public, max-age=86400" {
		t.Errorf("Cache-Control %q", got)
	}
	tag := answer.Header().Get("ETag")
	if other := ask(handler, "GET", "/stamp-02.png", nil).Header().Get("ETag"); tag == "" || tag == other {
		t.Errorf("entity tags %q and %q of two pictures", tag, other)
	}
	again := ask(handler, "GET", "/stamp-01.png", http.Header{"If-None-Match": {tag}})
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("asked again: status %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
	}
	head := ask(handler, "HEAD", "/stamp-01.png", nil)
	if diff := cmp.Diff(answer.Header(), head.Header()); diff != "" {
		t.Errorf("headers of HEAD (-GET +HEAD):\n%s", diff)
	}
}

func TestOutcomeFiles(t *testing.T) {
	handler := Images()
	t.Run("ok.jpg is a picture", func(t *testing.T) {
		answer := ask(handler, "GET", "/outcome/ok.jpg", nil)
		if _, format, err := image.Decode(answer.Body); err != nil || format != "jpeg" {
			t.Errorf("format %q, error %v", format, err)
		}
	})
	t.Run("missing.jpg is missing", func(t *testing.T) {
		if answer := ask(handler, "GET", "/outcome/missing.jpg", nil); answer.Code != http.StatusNotFound {
			t.Errorf("status %d, want 404", answer.Code)
		}
	})
	t.Run("too-large.jpg begins like a picture and has 11 MiB", func(t *testing.T) {
		server := httptest.NewServer(handler)
		defer server.Close()
		resp, err := server.Client().Get(server.URL + "/outcome/too-large.jpg")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) != 11<<20 || resp.ContentLength != 11<<20 {
			t.Errorf("%d bytes, Content-Length %d; want 11 MiB", len(body), resp.ContentLength)
		}
		if _, _, err := image.DecodeConfig(bytes.NewReader(body)); err != nil {
			t.Error(err)
		}
	})
	t.Run("not-an-image.jpg says it is one and is not", func(t *testing.T) {
		answer := ask(handler, "GET", "/outcome/not-an-image.jpg", nil)
		if got := answer.Header().Get("Content-Type"); got != "image/jpeg" {
			t.Errorf("content type %q, want image/jpeg", got)
		}
		if _, _, err := image.DecodeConfig(answer.Body); err == nil {
			t.Error("it decodes")
		}
	})
	t.Run("hang.jpg says nothing until the client leaves", func(t *testing.T) {
		defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
		arrived := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(arrived)
			handler.ServeHTTP(w, r)
		}))
		defer server.Close()
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-arrived
			leave()
		}()
		req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/outcome/hang.jpg", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := server.Client().Do(req); err == nil {
			resp.Body.Close()
			t.Errorf("answered with status %d", resp.StatusCode)
		}
	})
	t.Run("hang.jpg is an error when the server ends the request", func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		end()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, "GET", "/outcome/hang.jpg", nil))
		if answer.Code != http.StatusGatewayTimeout {
			t.Errorf("status %d, want 504", answer.Code)
		}
	})
}

func TestNothingElseIsServed(t *testing.T) {
	handler := Images()
	for path, want := range map[string]int{"/": 404, "/stamp-99.png": 404, "/outcome/": 404, "/outcome/other.jpg": 404} {
		if answer := ask(handler, "GET", path, nil); answer.Code != want {
			t.Errorf("GET %s: status %d, want %d", path, answer.Code, want)
		}
	}
	if answer := ask(handler, "POST", "/stamp-01.png", nil); answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", answer.Code)
	}
}

func ask(h http.Handler, method, path string, header http.Header) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, nil)
	for name, values := range header {
		req.Header[name] = values
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}
