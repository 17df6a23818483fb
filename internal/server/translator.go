package server

import (
	"errors"
	"html/template"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/paste"
	"sellerd/v1"
)

// translatorPath is where requests of the old interface are translated, by a page and for programs.
const translatorPath = "/migration/translate"

// The largest bodies of the translator: the longest paste in its longest encoding.
const (
	maxTranslateJSON = 6*paste.MaxBytes + 1<<10
	maxTranslateForm = 3*paste.MaxBytes + 1<<10
)

// translateInput is what programs send.
type translateInput struct {
	Body translateBody `body:"json"`
}

type translateBody struct {
	Request string `json:"request"`
	Body    string `json:"body"`
}

// translate translates a pasted request to /v1, and answers programs in JSON and the page's form with the page. The request
// is not run, stored or logged. So the translator needs no key, and a form that another site sends has no effect.
func (s *Server) translate(w http.ResponseWriter, r *http.Request) {
	v1.TraceFrom(r.Context()).Secret = true // what is pasted may have a key
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && media == "application/x-www-form-urlencoded" {
		s.translateForm(w, r)
		return
	}
	in := &translateInput{}
	s.config.Service.ServeOutside(w, r, maxTranslateJSON, in, func() (any, error) {
		out, err := s.translated(in.Body)
		if err != nil {
			return nil, err
		}
		return out, nil
	})
}

func (s *Server) translated(in translateBody) (*paste.Translation, error) {
	return paste.Translate(s.table, paste.Input{Request: in.Request, Body: in.Body, BaseURL: s.config.BaseURL})
}

// translateForm answers the page's form, which works without a script.
func (s *Server) translateForm(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTranslateForm))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		s.translatorResult(w, r, translatorContent{Errors: v1.Errors{{Code: v1.PayloadTooLarge, Message: "The form is too large."}}})
		return
	case err != nil:
		s.translatorResult(w, r, translatorContent{Errors: s.config.Service.Refusal(r.Context(), v1.BodyEnds(err))})
		return
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		s.translatorResult(w, r, translatorContent{Errors: v1.Errors{{Code: v1.InvalidValue, Message: "The body is not a form."}}})
		return
	}
	s.translatorResult(w, r, translatorContent{Given: translateBody{form.Get("request"), form.Get("body")}})
}

// translatorPage shows the form, empty or with a sample.
func (s *Server) translatorPage(w http.ResponseWriter, r *http.Request) {
	if i := slices.IndexFunc(s.samples, func(sample translatorSample) bool { return sample.ID == r.URL.Query().Get("sample") }); i >= 0 {
		s.translatorResult(w, r, translatorContent{Given: translateBody{Request: s.samples[i].Command}})
		return
	}
	s.renderTranslator(w, r, http.StatusOK, translatorContent{})
}

// translatorResult shows the form with the result. A pasted key is shown again in the form that it came from, and nowhere
// else.
func (s *Server) translatorResult(w http.ResponseWriter, r *http.Request, c translatorContent) {
	status := http.StatusOK
	if c.Errors == nil {
		var err error
		c.Out, err = s.translated(c.Given)
		if err != nil && !errors.As(err, &c.Errors) {
			s.config.Service.Refuse(w, r, err)
			return
		}
	}
	if c.Errors != nil {
		status = c.Errors.Status()
	}
	s.renderTranslator(w, r, status, c)
}

func (s *Server) renderTranslator(w http.ResponseWriter, r *http.Request, status int, c translatorContent) {
	c.Samples = s.samples
	body, err := fill(translatorTemplates(), "translator", c)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, status, pageContent{
		Title: "Translator", Description: "Paste a request of the deprecated interface /rest and get the request of /v1.", Private: c.Out != nil || c.Errors != nil,
		Scripts: []string{copyScript, assetPath + "translator.js"}, Body: body,
	})
}

// translatorContent is what the page shows.
type translatorContent struct {
	Given   translateBody
	Out     *paste.Translation
	Errors  v1.Errors
	Samples []translatorSample
}

// translatorSample is a request to try.
type translatorSample struct{ ID, Title, Command string }

// triedCalls are the calls that the page offers to try: one of each kind.
var triedCalls = []string{"item-create", "item-update", "item-close", "fixedprice-sold", "item-feedback", "notification-add", "categories", "login"}

// newSamples are the calls to try with their first samples.
func newSamples(table *translate.Table) (samples []translatorSample) {
	for _, id := range triedCalls {
		plan := table.Lookup(id)
		samples = append(samples, translatorSample{id, plan.Title, command.Legacy(plan, &plan.Samples[0])})
	}
	return samples
}

var translatorTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`
{{define "translator"}}<h1>Translator</h1>
<p>Paste a request of the <a href="/docs/legacy">old interface</a> to see the same request in <code>/v1</code>. It can be a command
of curl, wget, HTTPie or PowerShell; a call of <code>fetch</code>, axios, Python's requests or PHP's curl; an address, a method and an address, or a record
of one request: HAR, a Postman collection, a line of an access log, or HTTP as it is sent. The old host is
accepted. <a href="/docs/scan">seller scan</a> finds all requests of your programs at once.</p>
<p>The request is not run, stored or logged. Keys and tokens are removed: the commands take your key from the variable <code>KEY</code>.
A command that creates something has an <code>Idempotency-Key</code>, which ends with the variable <code>ACT</code>. The service does not do the same thing
twice under one key: so set <code>ACT</code> anew for each new act, as the line before the command does, and leave that line out to repeat a request whose
answer did not arrive.</p>
<form id="translator" method="post" action="/migration/translate">
<p><label for="request">Request</label>
<textarea id="request" name="request" rows="6" cols="80" required spellcheck="false" autocomplete="off" autocapitalize="off">
{{.Given.Request}}</textarea></p>
<p><label for="body">Form body, if it is not in the request: <code>title=Postcard&amp;fixed_price=4.50</code></label>
<textarea id="body" name="body" rows="3" cols="80" spellcheck="false" autocomplete="off" autocapitalize="off">
{{.Given.Body}}</textarea></p>
<p><button>Translate</button></p>
</form>
<section id="result" aria-live="polite" aria-label="Translation">
{{with .Errors}}<div class="warn">
<h2>It cannot be translated</h2>
<ul>
{{range .}}<li>{{with .Field}}<code>{{.}}</code>: {{end}}{{.Message}}</li>
{{end}}</ul>
</div>
{{end}}{{with .Out}}{{template "translation" .}}{{end}}</section>
<h2>To try</h2>
<ul>
{{range .Samples}}<li><a href="/migration/translate?sample={{.ID}}">{{.Title}}</a></li>
{{end}}</ul>
<p class="facts">Programs can send <code>{"request": "…", "body": "…"}</code> to <code>POST /migration/translate</code>, and <code>seller translate</code> does
the same on your machine.</p>
{{end}}
{{define "translation"}}<h2>{{.Title}}</h2>
{{if .Curl.Set}}{{if eq (len .Steps) 1}}{{range .Steps}}{{template "command" .}}{{end}}{{else}}<p>It takes {{len .Steps}} steps:</p>
<ol>
{{range .Steps}}<li><p>{{.Purpose}}</p>
{{template "command" .}}</li>
{{end}}</ol>
{{end}}{{else}}<p class="note">There is nothing to call. {{.Why.V}} {{.Instead.V}}</p>
{{end}}{{if .Notes}}<h3>Fields that were changed or left out</h3>
<div class="scroll" role="group" aria-label="Notes" tabindex="0">
<table>
<thead><tr><th scope="col">Field</th><th scope="col">It is</th><th scope="col">Because</th></tr></thead>
<tbody>
{{range .Notes}}<tr><td data-label="Field"><code>{{.Field}}</code></td><td data-label="It is">{{.Kind}}</td><td data-label="Because">{{.Text}}</td></tr>
{{end}}</tbody>
</table>
</div>
{{else if .Curl.Set}}<p>Every field was translated unchanged.</p>
{{end}}<p><a href="/migration/{{.Call}}">The guide about this call</a></p>
{{end}}
{{define "command"}}<pre data-copy tabindex="0"><code>{{.Commands}}</code></pre>
{{end}}`))
})
