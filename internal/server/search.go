package server

import (
	"context"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"sellerd/changelog"
	"sellerd/internal/downloads"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// searchPath is where all pages are searched.
const searchPath = "/search"

// mostResults is how many pages a search shows, and mostAsked how many bytes of a question are read.
const (
	mostResults = 20
	mostAsked   = 200
)

// Weights of pages that are not in the menu, beside those of the groups of the menu. People look for codes and old calls by their whole names.
const (
	ofOperations = 0.8
	ofCalls      = 0.6
	ofCodes      = 0.5
	ofNews       = 0.5 // of pages that name everything that has changed
)

// searchIndex is the index of all pages. It is made at the first search.
type searchIndex struct {
	mu    sync.Mutex
	index *site.Index
}

// search shows the pages that have the words of a question. It needs no script. Questions are not logged.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	index, err := s.searchable(r.Context())
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	question := questionOf(r)
	results, all := index.Find(question, mostResults)
	v1.TraceFrom(r.Context()).Secret = strings.Contains(question, "dk_live_") || strings.Contains(question, "dk_test_") // somebody looks for a key
	s.renderFilled(w, r, http.StatusOK, pageContent{Title: "Search", Question: question, Private: true}, "search",
		map[string]any{"Question": question, "Results": results, "All": all})
}

// questionOf is the question of a search. Bytes after the first ones are ignored.
func questionOf(r *http.Request) string {
	question := strings.TrimSpace(r.URL.Query().Get("q"))
	return strings.ToValidUTF8(question[:min(len(question), mostAsked)], "")
}

// searchable returns the index, and makes it if there is none yet.
func (s *Server) searchable(ctx context.Context) (*site.Index, error) {
	s.found.mu.Lock()
	defer s.found.mu.Unlock()
	if s.found.index != nil {
		return s.found.index, nil
	}
	migration, err := s.migration.get(ctx, s.config.Service)
	if err != nil {
		return nil, err
	}
	made, err := s.madeBodies(ctx, migration)
	if err != nil {
		return nil, err
	}
	index := &site.Index{}
	for _, page := range s.site.Pages() {
		entry, body := page.Entry(), made[page.Path] // a page that is not made here is found by its title
		if doc, ok := s.site.Doc(page.Doc); ok {
			entry.Also = append(entry.Also, doc.Title)
			body = doc.HTML
		}
		if page.Path == changelog.PagePath || page.Path == changelog.IssuesPath {
			entry.Weight = ofNews
		}
		index.Add(entry, body)
	}
	for i := range migration.parts {
		part := &migration.parts[i]
		index.Add(site.Entry{Path: part.Path(), Title: part.link().Title, Place: "Migration guide", Weight: ofCalls}, part.body)
	}
	for _, o := range v1.Operations {
		entry := site.Entry{
			Path: referencePath(o.Method, o.Pattern), Title: v1openapi.Summary(o), Also: site.OtherNames(v1openapi.OperationID(o)),
			Place: "Reference", Weight: ofOperations,
		}
		index.AddText(entry, o.Method+" "+o.Pattern+": "+o.Doc)
	}
	for _, row := range s.errors().rows {
		entry := site.Entry{
			Path: errorsPath + "/" + string(row.Code), Title: string(row.Code), Also: append(site.OtherNames(string(row.Code)), "error "+string(row.Code)),
			Place: "Error codes", Weight: ofCodes,
		}
		index.AddText(entry, row.StatusText()+" "+row.Meaning+" "+row.Remedy)
	}
	s.found.index = index
	return index, nil
}

// madeBodies are the bodies of the pages in the menu that the program makes, by path.
func (s *Server) madeBodies(ctx context.Context, migration *migrationPages) (made map[string]template.HTML, err error) {
	releases, err := s.changelog.get(ctx, s.config.Service)
	if err != nil {
		return nil, err
	}
	issues, err := newIssuesPage(s.issues)
	if err != nil {
		return nil, err
	}
	programs, err := s.downloadsBody()
	if err != nil {
		return nil, err
	}
	made = map[string]template.HTML{
		downloads.Path: programs, changelog.PagePath: releases.all, changelog.IssuesPath: issues, translate.GuidePath: migration.index,
	}
	for path, page := range map[string]struct {
		template string
		data     any
	}{
		accountPath: {"account", nil}, usagePath: {"usage", usageContent{}}, translatorPath: {"translator", translatorContent{}},
		referencePagePath: {"reference", map[string]any{}}, // without the operations, which are found one by one
	} {
		if made[path], err = fill(page.template, page.data); err != nil {
			return nil, err
		}
	}
	return made, nil
}
