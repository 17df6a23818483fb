package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"

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
		if out == nil {
			return nil, err
		}
		return out, err
	})
}

func (s *Server) translated(in translateBody) (*paste.Translation, error) {
	return paste.Translate(s.table, paste.Input{Request: in.Request, Body: in.Body, BaseURL: s.config.BaseURL})
}

// translateForm answers the page's form, which works without a script.
func (s *Server) translateForm(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTranslateForm))
	form, malformed := url.ParseQuery(string(text))
	var tooLarge *http.MaxBytesError
	c := translatorContent{}
	switch {
	case errors.As(err, &tooLarge):
		c.Errors = v1.Errors{{Code: v1.PayloadTooLarge, Message: "The form is too large."}}
	case err != nil:
		c.Errors = s.config.Service.Refusal(r.Context(), v1.BodyEnds(err))
	case malformed != nil:
		c.Errors = v1.Errors{{Code: v1.InvalidValue, Message: "The body is not a form."}}
	default:
		c.Given = translateBody{form.Get("request"), form.Get("body")}
	}
	s.translatorResult(w, r, c)
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
	s.renderFilled(w, r, status, pageContent{
		Title: "Translator", Description: "Paste a request of the deprecated interface /rest, or the code that sends it, and get the request of /v1.", Private: c.Out != nil || c.Errors != nil,
		Scripts: []string{copyScript, assetPath + "translator.js"},
	}, "translator", c)
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

// sampleProgram is a piece of a program to try.
const sampleProgram = `<?php
$fields = array('title' => $row['title'], 'fixed_price' => '4,50', 'currency' => 'EUR');
$ch = curl_init('https://rest.delcampe.net/item/' . $row['id'] . '?token=' . $token);
curl_setopt($ch, CURLOPT_CUSTOMREQUEST, 'PUT');
curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query($fields));
$answer = curl_exec($ch);

$ch = curl_init("https://rest.delcampe.net/item/$old?token=$token");
curl_setopt($ch, CURLOPT_CUSTOMREQUEST, 'DELETE');
curl_setopt($ch, CURLOPT_POSTFIELDS, 'reason=TestItem');
$answer = curl_exec($ch);`

// newSamples are the calls to try with their first samples.
func newSamples(table *translate.Table) (samples []translatorSample) {
	samples = append(samples, translatorSample{"php", "A file in PHP with two calls", sampleProgram})
	for _, id := range triedCalls {
		plan := table.Lookup(id)
		samples = append(samples, translatorSample{id, plan.Title, command.Legacy(plan, &plan.Samples[0])})
	}
	return samples
}
