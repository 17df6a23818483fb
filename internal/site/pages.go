// Package site has what all pages of the documentation share: the list of pages, from which the menu and the links to the
// next page are made; the Markdown files of the folder docs as pages; and the search over all pages.
//
// A new page is a file in a folder of docs, by its readers, and a line in menu.json.
package site

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
)

// Page is a page in the menu.
type Page struct {
	// Doc is the name of a Markdown file in a folder of docs without its ending, or of a folder that has a README. The page is at
	// /docs/ with this name, whatever the folder. It is empty for a page that the program makes; then Path is set.
	Doc string
	// Path is the address of the page. It is set for every page once the site is made.
	Path string
	// Title is the text of the menu.
	Title string
	// About says in a few words what a page of docs is about. Language models read it.
	About string
	// Optional is set if few callers need the page.
	Optional bool
	// Instead is the page of docs that a public server shows at the address of a page for the demo. It keeps links that were
	// published alive.
	Instead string
	// Downloads is set if only a server with downloads shows the page.
	Downloads bool
	// Place is the title of its group, or of the page that it is a part of, once the site is made.
	Place string
	// Weight is that of its group once the site is made.
	Weight float64
	house  *House // of its group
	// Parts are pages about parts of the subject. The menu shows them while the page, or one of them, is read.
	Parts []Page
}

// House is a part of the site for one kind of reader. The menu shows the groups of one house.
type House struct {
	Title  string
	Path   string // of its first page
	Groups []Group
}

// Group is a part of the menu.
type Group struct {
	Title string
	// Weight is how much the search prefers the pages: 1, or 0, is what every seller reads.
	Weight float64
	Pages  []Page
	house  *House // once the site is made
}

//go:embed menu.json
var menuFile []byte

// houses have all pages in the order of the menu, which is also that of the links to the next and the previous page. The first one is for
// sellers. Only a server with --demo shows the others, which are for the people who run or change the program.
var houses = sync.OnceValue(func() (all []*House) {
	if err := json.Unmarshal(menuFile, &all, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true)); err != nil {
		panic(err) // it is part of the program
	}
	return all
})

// Entry is what the search knows of the page, beside its text.
func (p Page) Entry() Entry {
	return Entry{Path: p.Path, Title: p.Title, Also: OtherNames(cmp.Or(p.Doc, p.Path)), About: p.About, Place: p.Place, Weight: p.Weight}
}

// Link is a link to a page.
type Link struct{ Path, Title string }

// Menu is what a page shows of the site: the houses, if there are several, and the groups of its own.
type Menu struct {
	Houses []MenuLink
	Groups []MenuGroup
}

// MenuGroup is a part of the menu as a page shows it.
type MenuGroup struct {
	Title string
	Open  bool // the page is in it
	Links []MenuLink
}

// MenuLink is a line of the menu.
type MenuLink struct {
	Link
	// Current is "page" if the line leads to the page that shows it, "true" if it leads to the list that the page belongs to, and
	// otherwise empty. It is a value of aria-current.
	Current string
	// Parts are the pages below this one, if the page or one of them shows the menu.
	Parts []MenuLink
}

// Site is the pages that one server shows.
type Site struct {
	groups []Group
	pages  []Page
	docs   map[string]func() *Doc // by name; made when they are first asked for, because a server starts faster than it renders them
}

// Options say which pages a server shows, and how.
type Options struct {
	Demo    bool   // also those for the people who run or change the program, and the commands that need a demo server
	BaseURL string // where the server is reached, without a trailing slash

	// DemoFile returns the path of a file that a demo server keeps (demo-keys.json, operator-token), as a word of a shell. Without
	// it the commands of the pages name the files of `make run`, which are in the folder data.
	DemoFile func(name string) string

	// OperatorURL is where the operator reaches a demo server. It is empty for the address of `make run`.
	OperatorURL string

	// Downloads says, in Markdown, how to get the programs that the server has for sellers. It is empty for a server without them.
	Downloads string
}

// New makes the site. Its files are part of the program, so asking for a page panics only if the program was built wrong.
func New(o Options) *Site {
	s := &Site{docs: map[string]func() *Doc{}}
	for i, house := range houses() {
		if i == 0 || o.Demo {
			s.add(house, o.Downloads != "")
		}
	}
	for _, page := range s.pages {
		if page.Doc != "" {
			s.docs[page.Doc] = sync.OnceValue(func() *Doc { return newDoc(page.Doc, o, s.shows) })
		}
	}
	return s
}

// add adds the groups of a house.
func (s *Site) add(house *House, downloads bool) {
	for _, group := range house.Groups {
		shown := Group{Title: group.Title, house: house}
		for _, page := range group.Pages {
			if page.Downloads && !downloads {
				continue
			}
			page.house, page.Weight = house, cmp.Or(group.Weight, 1)
			page = addressed(page, group.Title)
			shown.Pages = append(shown.Pages, page)
			s.pages = append(append(s.pages, page), page.Parts...)
		}
		s.groups = append(s.groups, shown)
	}
}

// ofOptional is what the weight of an optional page is multiplied by.
const ofOptional = 0.8

// addressed is a page of a group with its place, and with the addresses of itself and of its parts.
func addressed(page Page, place string) Page {
	page.Parts = slices.Clone(page.Parts)
	for i, part := range page.Parts {
		part.house, part.Weight = page.house, page.Weight
		page.Parts[i] = addressed(part, page.Title)
	}
	if page.Place = place; page.Optional {
		page.Weight *= ofOptional
	}
	if page.Doc != "" {
		page.Path = docPath(page.Doc)
	}
	return page
}

func docPath(name string) string { return "/docs/" + name }

// shows says whether the site has a page of docs.
func (s *Site) shows(doc string) bool { return s.docs[doc] != nil }

// Pages are all pages in the order of the menu.
func (s *Site) Pages() []Page { return s.pages }

// Doc is a page of docs. ok is false if the site does not show it, unless it shows another page in its place.
func (s *Site) Doc(name string) (doc *Doc, ok bool) {
	if made, ok := s.docs[name]; ok {
		return made(), true
	}
	for _, house := range houses() {
		for _, group := range house.Groups {
			for _, page := range group.Pages {
				if page.Doc == name && page.Instead != "" {
					return s.Doc(page.Instead)
				}
			}
		}
	}
	return nil, false
}

// Menu is the menu of the page at a path. A page that is not in the menu belongs to the list in section, if that is set. The first group is
// open on a page that is in none.
func (s *Site) Menu(path, section string) Menu {
	house := s.houseOf(path, section)
	var menu Menu
	for _, other := range houses() {
		if slices.ContainsFunc(s.groups, func(g Group) bool { return g.house == other }) {
			line := MenuLink{Link: Link{other.Path, other.Title}}
			if other == house {
				line.Current = "true"
			}
			menu.Houses = append(menu.Houses, line)
		}
	}
	if len(menu.Houses) == 1 {
		menu.Houses = nil
	}
	for _, group := range s.groups {
		if group.house == house {
			menu.Groups = append(menu.Groups, group.shown(path, section))
		}
	}
	if !slices.ContainsFunc(menu.Groups, func(g MenuGroup) bool { return g.Open }) {
		menu.Groups[0].Open = true
	}
	return menu
}

// houseOf is the house of a page, that of the sellers if the page is in no menu.
func (s *Site) houseOf(path, section string) *House {
	i := slices.IndexFunc(s.pages, func(p Page) bool { return p.Path == path || p.Path == section })
	if i < 0 {
		return houses()[0]
	}
	return s.pages[i].house
}

// shown is the group in the menu of the page at a path.
func (g Group) shown(path, section string) MenuGroup {
	part := MenuGroup{Title: g.Title}
	for _, page := range g.Pages {
		line := page.line(path, section)
		if line.Current != "" || slices.ContainsFunc(page.Parts, func(part Page) bool { return part.Path == path }) {
			part.Open = true
			for _, below := range page.Parts {
				line.Parts = append(line.Parts, below.line(path, ""))
			}
		}
		part.Links = append(part.Links, line)
	}
	return part
}

// line is the line of the page in the menu of the page at a path.
func (p Page) line(path, section string) MenuLink {
	line := MenuLink{Link: Link{p.Path, p.Title}}
	switch p.Path {
	case path:
		line.Current = "page"
	case section:
		line.Current = "true"
	}
	return line
}

// Has says whether the site has a page at a path.
func (s *Site) Has(path string) bool {
	return slices.ContainsFunc(s.pages, func(p Page) bool { return p.Path == path })
}

// Around are the pages before and after the page at a path in its house, nil where there is none.
func (s *Site) Around(path string) (previous, next *Link) {
	neighbour := func(i int) *Link {
		if i < 0 || i >= len(s.pages) || s.pages[i].house != s.houseOf(path, "") {
			return nil
		}
		return &Link{s.pages[i].Path, s.pages[i].Title}
	}
	i := slices.IndexFunc(s.pages, func(p Page) bool { return p.Path == path })
	if i < 0 {
		return nil, nil
	}
	return neighbour(i - 1), neighbour(i + 1)
}
