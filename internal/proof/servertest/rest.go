package servertest

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"sellerd/internal/server"
	"sellerd/v1"
)

// addRest adds the tables of /rest to the configuration of a world.
func addRest(tb testing.TB, c *v1.Config) {
	tb.Helper()
	if err := server.AddLegacy(c); err != nil {
		tb.Fatal(err)
	}
}

// RestAnswer is an answer of the legacy interface.
type RestAnswer struct {
	Status int
	Header http.Header
	Body   string
	root   *Element
}

// Text is the text of the first element at a path inside Notification_Data, such as body/item/title.
func (a RestAnswer) Text(path string) string {
	if texts := a.Texts(path); len(texts) > 0 {
		return texts[0]
	}
	return ""
}

// Texts are the texts of all elements at a path inside Notification_Data.
func (a RestAnswer) Texts(path string) []string {
	var texts []string
	for _, e := range a.Elements("Notification_Data/" + path) {
		texts = append(texts, e.Text)
	}
	return texts
}

// Type is the answer's Notification_Type.
func (a RestAnswer) Type() string {
	if found := a.Elements("Notification_Type"); len(found) == 1 {
		return found[0].Text
	}
	return ""
}

// Elements are the elements at a path inside the root.
func (a RestAnswer) Elements(path string) []*Element { return a.root.at(strings.Split(path, "/")) }

// Element is an XML element.
type Element struct {
	XMLName xml.Name
	Text    string     `xml:",chardata"`
	Inner   []*Element `xml:",any"`
}

// Children are the names and texts of the elements inside, in order.
func (e *Element) Children() (pairs [][2]string) {
	for _, child := range e.Inner {
		pairs = append(pairs, [2]string{child.XMLName.Local, child.Text})
	}
	return pairs
}

func (e *Element) at(path []string) (found []*Element) {
	if e == nil {
		return nil
	}
	for _, child := range e.Inner {
		switch {
		case child.XMLName.Local != path[0]:
		case len(path) == 1:
			found = append(found, child)
		default:
			found = append(found, child.at(path[1:])...)
		}
	}
	return found
}

// Rest sends a request to the legacy interface: a form in the query of GET and HEAD, in the body of everything else.
// Headers come as names and values. Nothing is added, so a token has to be part of the form.
func (w *World) Rest(tb testing.TB, method, path, form string, header ...string) RestAnswer {
	tb.Helper()
	var body io.Reader
	switch {
	case form == "":
	case method == http.MethodGet || method == http.MethodHead:
		path += "?" + form
	default:
		body = strings.NewReader(form)
	}
	r := httptest.NewRequest(method, path, body)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return w.RestRequest(tb, r)
}

// RestRequest is Rest for a request made by hand. It checks the envelope, well-formed and with the status of the response,
// and that the OpenAPI document of /rest describes what was answered.
func (w *World) RestRequest(tb testing.TB, r *http.Request) RestAnswer {
	tb.Helper()
	recorder := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(recorder, r)
	checkRest(tb, r, recorder)
	if r.Method == http.MethodHead {
		if recorder.Body.Len() > 0 {
			tb.Errorf("HEAD %s has a body", r.URL.Path)
		}
		return RestAnswer{Status: recorder.Code, Header: recorder.Header()}
	}
	answer, err := ReadRestAnswer(recorder)
	if err != nil {
		tb.Fatalf("%s %s answered %d, not XML: %v\n%s", r.Method, r.URL.Path, answer.Status, err, answer.Body)
	}
	if answer.root.XMLName.Local != "Delcampe_Notification" || answer.Text("headers/status") != strconv.Itoa(answer.Status) {
		tb.Errorf("%s %s answered %d, not in the legacy envelope:\n%s", r.Method, r.URL.Path, answer.Status, answer.Body)
	}
	return answer
}

// ReadRestAnswer reads an answer of the legacy interface, also one that did not come from the world's server.
func ReadRestAnswer(recorder *httptest.ResponseRecorder) (answer RestAnswer, err error) {
	answer = RestAnswer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String()}
	answer.root, err = readElement(answer.Body)
	return answer, err
}

// readElement reads a text that is one element.
func readElement(text string) (*Element, error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	root := &Element{}
	if err := decoder.Decode(root); err != nil {
		return nil, err
	}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if _, isElement := token.(xml.StartElement); err != nil || isElement {
			return nil, errors.Join(errors.New("something follows the element"), err)
		}
	}
}

// Session opens a session with a key and returns its token.
func (w *World) Session(tb testing.TB, key string) string {
	tb.Helper()
	answer := w.Rest(tb, http.MethodPost, "/rest/seller", "apikey="+key)
	token := answer.Text("body/token")
	if answer.Status != http.StatusOK || token == "" {
		tb.Fatalf("log in: %d %s", answer.Status, answer.Body)
	}
	return token
}
