package server

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"sellerd/changelog"
	"sellerd/internal/downloads"
	"sellerd/internal/languages"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// searchPath is where all pages are searched.
const searchPath = "/search"

// mostResults is how many pages a search shows, mostGuesses how many the page that is at an address without one, and mostAsked how many
// bytes of a question are read.
const (
	mostResults = 20
	mostGuesses = 5
	mostAsked   = 200
)

// Weights of pages that are not in the menu, beside those of the groups of the menu. People look for codes and old calls by their whole names.
const (
	ofOperations = 0.8
	ofCalls      = 0.6
	ofCodes      = 0.5
	ofNews       = 0.5 // of pages that name everything that has changed
)

// searchIndexes are the indexes of all pages, by the language of those who search. Each is made at the first search.
type searchIndexes struct {
	mu sync.Mutex
	of map[languages.Language]*site.Index
}

// search shows the pages that have the words of a question. It needs no script. Questions are not logged.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	s.showFound(w, r, http.StatusOK, "search", "Search", questionOf(r), mostResults)
}

// missing says that there is nothing at an address, and shows the pages that have words of it.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, title string) {
	words := site.WordsOfAddress(r.URL.Path[:min(len(r.URL.Path), mostAsked)])
	s.showFound(w, r, http.StatusNotFound, "missing", title, words, mostGuesses)
}

// showFound shows what a question finds, and the question in the search field, where it can be corrected.
func (s *Server) showFound(w http.ResponseWriter, r *http.Request, status int, template, title, question string, most int) {
	index, err := s.searchable(r.Context(), languageOf(r))
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	results, all := index.Find(question, most)
	v1.TraceFrom(r.Context()).Secret = strings.Contains(r.URL.Path+question, "dk_") // a key or a token, which the page repeats
	s.renderFilled(w, r, status, pageContent{Title: title, Question: question, Private: true}, template,
		map[string]any{"Title": title, "Question": question, "Results": results, "All": all})
}

// questionOf is the question of a search. Bytes after the first ones are ignored.
func questionOf(r *http.Request) string {
	question := strings.TrimSpace(r.URL.Query().Get("q"))
	return strings.ToValidUTF8(question[:min(len(question), mostAsked)], "")
}

// searchable returns the index for readers of a language, and makes it if there is none yet.
func (s *Server) searchable(ctx context.Context, l languages.Language) (*site.Index, error) {
	s.found.mu.Lock()
	defer s.found.mu.Unlock()
	if index := s.found.of[l]; index != nil {
		return index, nil
	}
	ignored, _ := l.Say(strings.Join(site.StopWords, " "))
	words := site.Words{Endings: l.Endings, Ignored: strings.Fields(ignored)}
	index := &inLanguageIndex{Index: site.Index{Words: words}, language: l, baseURL: s.config.BaseURL}
	if err := s.fillIndex(ctx, index); err != nil {
		return nil, err
	}
	if s.found.of == nil {
		s.found.of = map[languages.Language]*site.Index{}
	}
	s.found.of[l] = &index.Index
	return &index.Index, nil
}

// fillIndex adds all pages to an index.
func (s *Server) fillIndex(ctx context.Context, index *inLanguageIndex) error {
	migration, err := s.migration.get(ctx, s.config.Service)
	if err != nil {
		return err
	}
	made, err := s.madeBodies(ctx, migration)
	if err != nil {
		return err
	}
	for _, page := range s.site.Pages() {
		entry, body := page.Entry(), made[page.Path] // a page that is not made here is found by its title
		if doc, ok := s.site.Doc(page.Doc); ok {
			entry.Also = append(entry.Also, doc.Title)
			body = doc.HTML
		}
		if page.Path == changelog.PagePath || page.Path == changelog.IssuesPath {
			entry.Weight = ofNews
		}
		index.add(entry, body)
	}
	for i := range migration.parts {
		part := &migration.parts[i]
		index.add(site.Entry{Path: part.Path(), Title: part.link().Title, Place: "Migration guide", Weight: ofCalls}, part.body)
	}
	for _, o := range v1.Operations {
		entry := site.Entry{
			Path: referencePath(o.Method, o.Pattern), Title: v1openapi.Summary(o), Also: site.OtherNames(v1openapi.OperationID(o)),
			Place: "Reference", Weight: ofOperations,
		}
		index.addText(entry, o.Method+" "+o.Pattern+":", o.Doc)
	}
	for _, row := range s.errors().rows {
		entry := site.Entry{
			Path: errorsPath + "/" + string(row.Code), Title: string(row.Code), Also: append(site.OtherNames(string(row.Code)), "error "+string(row.Code)),
			Place: "Error codes", Weight: ofCodes,
		}
		index.addText(entry, row.StatusText(), row.Meaning, row.Remedy)
	}
	return index.err
}

// inLanguageIndex takes English pages into an index for readers of a language.
type inLanguageIndex struct {
	site.Index
	language languages.Language
	baseURL  string
	err      error // the first one
}

// add adds a page, in the language if it exists in it. It is found by its names in both languages.
func (x *inLanguageIndex) add(entry site.Entry, body template.HTML) {
	if x.language != languages.English {
		entry.InEnglish = !languages.Has(entry.Path)
		if !entry.InEnglish {
			page, err := x.language.Page([]byte(`<html lang="en">`+string(body)), x.baseURL)
			if err != nil {
				x.err = cmp.Or(x.err, err)
				return
			}
			body = template.HTML(page.HTML) // of our own page
		}
		x.name(&entry)
	}
	x.Add(entry, body)
}

// addText adds a page that has a few sentences.
func (x *inLanguageIndex) addText(entry site.Entry, sentences ...string) {
	if x.language != languages.English {
		for i := range sentences {
			said, ok := x.language.Say(sentences[i])
			sentences[i], entry.InEnglish = said, entry.InEnglish || !ok && i > 0 // the first one is a status, or an operation's path
		}
		x.name(&entry)
	}
	x.AddText(entry, strings.Join(sentences, " "))
}

// name puts the names of a page into the language, beside the English ones.
func (x *inLanguageIndex) name(entry *site.Entry) {
	title := entry.Title
	entry.Title, _ = x.language.Say(title)
	english := entry.Also
	for i := range english { // the first ones are those of OtherNames, which the catalogue has as a list
		if names, ok := x.language.Say(strings.Join(english[:i+1], ", ")); ok {
			entry.Also = append(entry.Also, strings.Split(names, ", ")...)
		}
	}
	entry.Also = append(entry.Also, title)
	entry.About, _ = x.language.Say(entry.About)
	entry.Place, _ = x.language.Say(entry.Place)
}

// madeBodies are the bodies of the pages in the menu that the program makes, by path.
func (s *Server) madeBodies(ctx context.Context, migration *migrationPages) (map[string]template.HTML, error) {
	releases, err := s.changelog.get(ctx, s.config.Service)
	if err != nil {
		return nil, err
	}
	programs, err := s.downloadsBody()
	if err != nil {
		return nil, err
	}
	return map[string]template.HTML{
		downloads.Path: programs, changelog.PagePath: releases.all, changelog.IssuesPath: newIssuesPage(s.issues),
		translate.GuidePath: migration.index,
		accountPath:         fill("account", nil), usagePath: fill("usage", usageContent{}), translatorPath: fill("translator", translatorContent{}),
		referencePagePath: fill("reference", map[string]any{}), // without the operations, which are found one by one
	}, nil
}
