package server

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"sellerd/changelog"
	"sellerd/internal/downloads"
	"sellerd/internal/languages"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/translate/guide"
)

// This file serves the migration guide: its index, its pages, the whole of it on one page, and its files.

// migrationPages are the migration guide in all its served forms.
type migrationPages struct {
	guide *guide.Page
	title string
	index template.HTML
	// indexes are those for readers of other languages, by language. They are made for the first of them.
	indexes sync.Map
	whole   template.HTML
	parts   []migrationPart   // in the order of the guide
	files   map[string]*asset // by path
}

// migrationPart is a page of the guide.
type migrationPart struct {
	guide.Part
	body template.HTML
}

// newMigrationPages prints the guide from the tables, with the drills for everybody, for a service that is reached at baseURL and may have
// programs for sellers.
func newMigrationPages(table *translate.Table, drills []changelog.Drill, baseURL string, programs *downloads.Folder) (*migrationPages, error) {
	page := guide.New(table, baseURL)
	page.Timeline = withDrills(page.Timeline, drills)
	if programs != nil {
		page.Opening = append(page.Opening, downloads.Lead)
	}
	text, err := page.JSON()
	if err != nil {
		return nil, err
	}
	pages := &migrationPages{guide: page, title: "Migration guide: " + page.Title, files: map[string]*asset{
		translate.GuidePath + markdownSuffix: newAsset(page.Markdown(), markdownType),
		translate.GuidePath + ".json":        newAsset(text, "application/json"),
		guide.SchemaPath:                     newAsset(guide.Schema(baseURL), "application/schema+json"),
	}}
	if pages.index, err = page.IndexHTML("", nil); err != nil {
		return nil, err
	}
	if pages.whole, err = page.HTML(); err != nil {
		return nil, err
	}
	pages.index, pages.whole = site.Labelled(pages.index), site.Labelled(pages.whole)
	for _, part := range page.Parts() {
		body, err := page.PartHTML(part)
		if err != nil {
			return nil, err
		}
		pages.parts = append(pages.parts, migrationPart{part, site.Labelled(body)})
		pages.files[part.Path()+markdownSuffix] = newAsset(page.PartMarkdown(part), markdownType)
	}
	return pages, nil
}

// chapters is the menu of the guide on the page at a path: its topics, and its calls by step.
func (p *migrationPages) chapters(path string) []site.MenuGroup {
	chapters := []site.MenuGroup{{Title: "Topics"}}
	for i := range p.parts {
		part := &p.parts[i]
		if part.Phase != nil && part.Call == nil {
			chapters = append(chapters, site.MenuGroup{Title: part.Title})
		}
		into := &chapters[len(chapters)-1]
		if part.IsTopic() {
			into = &chapters[0]
		}
		line := site.MenuLink{Link: part.link()}
		if part.Phase != nil && part.Call == nil {
			line.Title = "About this step"
		}
		if line.Path == path {
			line.Current, into.Open = "page", true
		}
		into.Links = append(into.Links, line)
	}
	return chapters
}

// links are the pages of the guide in their order. The index stands before the first one.
func (p *migrationPages) links() []site.Link {
	links := []site.Link{{Path: translate.GuidePath, Title: "Migration guide"}}
	for i := range p.parts {
		links = append(links, p.parts[i].link())
	}
	return links
}

// link is the link to the page, without Markdown.
func (p *migrationPart) link() site.Link {
	return site.Link{Path: p.Path(), Title: strings.ReplaceAll(p.Title, "`", "")}
}

// indexIn is the index for readers of a language, with the calls that have the words of a question. The page itself is in English: render
// translates it, but a search also finds words of the language.
func (p *migrationPages) indexIn(language languages.Language, question string) (template.HTML, error) {
	if question == "" && language == languages.English {
		return p.index, nil
	}
	if kept, ok := p.indexes.Load(language); ok && question == "" {
		return kept.(template.HTML), nil
	}
	var say func(english string) string
	if language != languages.English {
		say = func(english string) string {
			text, _ := language.Say(english)
			return text
		}
	}
	index, err := p.guide.IndexHTML(question, say)
	if err != nil {
		return "", err
	}
	index = site.Labelled(index)
	if question == "" {
		p.indexes.Store(language, index)
	}
	return index, nil
}

// migrationPage shows the index of the guide, or the calls in it that have the words of a question.
func (s *Server) migrationPage(w http.ResponseWriter, r *http.Request, pages *migrationPages) {
	if r.URL.Query().Has("usage") { // where the list was until 1.6.0; letters, answers and the feed lead here
		http.Redirect(w, r, languageOf(r).Path(usagePath), http.StatusPermanentRedirect)
		return
	}
	question := questionOf(r)
	body, err := pages.indexIn(languageOf(r), question)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: pages.title, Description: "What to send to /v1 in place of each call of /rest, side by side.", Markdown: translate.GuidePath + markdownSuffix,
		Scripts: []string{assetPath + "guide.js"}, Private: question != "", Body: body, Chapters: pages.chapters(r.URL.Path),
	})
}

// migrationPart shows a page of the guide, or answers with its Markdown. other answers to every other request.
func (s *Server) migrationPart(other http.Handler) http.HandlerFunc {
	return withPages(s, &s.migration, func(w http.ResponseWriter, r *http.Request, pages *migrationPages) {
		if file, ok := pages.files[r.URL.Path]; ok {
			file.serve(w, r)
			return
		}
		for i := range pages.parts {
			part := &pages.parts[i]
			if part.Path() != r.URL.Path {
				continue
			}
			s.render(w, r, http.StatusOK, pageContent{
				Title: part.link().Title + " – from /rest to /v1", Description: "The guide from /rest to /v1: " + part.link().Title + ".", Section: translate.GuidePath, Markdown: part.Path() + markdownSuffix,
				Wide: part.Call != nil, Scripts: []string{copyScript}, Body: part.body, Chapters: pages.chapters(r.URL.Path), Neighbours: pages.links(),
			})
			return
		}
		other.ServeHTTP(w, r)
	})
}

// migrationWhole shows the whole guide on one page, to be printed.
func (s *Server) migrationWhole(w http.ResponseWriter, r *http.Request, pages *migrationPages) {
	s.render(w, r, http.StatusOK, pageContent{
		Title: pages.title + ", on one page", Section: translate.GuidePath, Markdown: translate.GuidePath + markdownSuffix, Wide: true, Scripts: []string{copyScript}, Body: pages.whole,
		Chapters: pages.chapters(r.URL.Path),
	})
}

// migrationFile serves the guide in another form, or 304 if it has not changed.
func (s *Server) migrationFile(w http.ResponseWriter, r *http.Request, pages *migrationPages) {
	if r.URL.Path == translate.GuidePath+".json" {
		w.Header().Set("Link", "<"+s.config.BaseURL+guide.SchemaPath+`>; rel="describedby"; type="application/schema+json"`) // RFC 8288, RFC 6892
	}
	pages.files[r.URL.Path].serve(w, r)
}
