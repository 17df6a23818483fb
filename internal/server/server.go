// Package server puts the service on the network: it mounts the stacks and pages, does once what every request needs
// (request id, log line, metrics, recovery), listens, runs the workers, and ends everything in good order.
//
// mountPublic, mountReference, mountDiscovery and mountOperator have all mounts: only there is written which path goes where.
package server

import (
	"crypto/tls"
	"html/template"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"sellerd/changelog"
	"sellerd/internal/base/tracing"
	"sellerd/internal/demo"
	"sellerd/internal/downloads"
	"sellerd/internal/operatorpages"
	"sellerd/internal/reference"
	"sellerd/internal/site"
	"sellerd/legacy"
	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/guide"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// Config configures a Server.
type Config struct {
	Service *v1.Service
	Logger  *slog.Logger
	Tracer  tracing.Tracer // records requests; nil: nothing is traced
	BaseURL string         // where the service is reached, without a trailing slash
	Version string
	Commit  string // that the program was built from; empty if the build did not note it down

	// TLS makes the server speak TLS with callers, OperatorTLS with the operator. Nil means that a proxy does, or nobody.
	TLS, OperatorTLS *tls.Config

	// OperatorToken is the token of an operator who may do everything. Without one only other operators have tokens.
	OperatorToken string
	// OperatorHeader is the header in which a trusted proxy gives the name of the operator who opens a page. Without one no proxy does.
	OperatorHeader string
	// Collectors are further metrics, such as the database's.
	Collectors []prometheus.Collector
	// TrustedProxies are the proxies whose headers about the caller's address and https are trusted.
	TrustedProxies Proxies
	// Demo serves pictures under /demo/images, so that publication can be tried without a network. It also shows the pages for the
	// people who run or change the program, and the commands that need a demo server. Without it all pages are for sellers.
	Demo bool
	// DemoFolder is where a demo server keeps its keys and the operator's token, and OperatorURL where the operator reaches it, for the
	// commands of its pages. Without them they name those of `make run`.
	DemoFolder, OperatorURL string
	// SecurityContact is where a vulnerability is reported: a mailto: or https: URL. Without one there is no /.well-known/security.txt.
	SecurityContact string
	// Downloads are the programs that the server has for sellers. Without them no page leads to downloads.
	Downloads *downloads.Folder
	// KnownIssues are the known issues that are shown instead of those of the program.
	KnownIssues []changelog.Issue
}

// Server is the HTTP side of the service. Public is for the internet, Operator for the operator's own network.
type Server struct {
	Public   http.Handler
	Operator http.Handler

	config      Config
	metrics     *metrics
	errors      func() errorPages
	changelog   byAnnouncements[*changelogPages]
	migration   byAnnouncements[*migrationPages]
	site        *site.Site
	pages       sync.Map // the last page at each path: keptPage by string
	kept        keptAnswers
	found       searchIndexes
	firstSample func() template.HTML                  // of the home page
	sources     func() map[string]*asset              // the pages of docs in Markdown, by name
	discovery   func() (before, after discoveryFiles) // the sunset of /rest
	issues      []changelog.Issue                     // that are known
	draining    atomic.Bool

	table   *translate.Table   // what /rest means, for the guide and the translator
	samples []translatorSample // to try with the translator

	operations func() *reference.Reference // what the API reference shows
}

// Where the operator API is, and how log lines call its stack.
const (
	operatorPath  = v1.OperatorPath
	operatorStack = "operator"
)

// New makes what is served, and mounts everything. It fails if the parts do not fit together, and for a service without a secret, whose
// cursors and sessions could be forged.
func New(c Config) (s *Server, err error) {
	if !c.Service.HasSecret() {
		return nil, v1.ErrNoSecret
	}
	s = &Server{config: c}
	s.metrics = newMetrics(c)
	s.errors = sync.OnceValue(func() errorPages { return newErrorPages(c.BaseURL) })
	s.migration.make = func(told announcements) (*migrationPages, error) {
		return newMigrationPages(s.table, told.drills, c.BaseURL, c.Downloads)
	}
	options := site.Options{Demo: c.Demo, BaseURL: c.BaseURL, OperatorURL: c.OperatorURL}
	if c.DemoFolder != "" {
		options.DemoFile = func(name string) string { return command.Quote(filepath.Join(c.DemoFolder, name)) }
	}
	options.Downloads = c.Downloads.Markdown(c.BaseURL)
	s.site = site.New(options)
	s.firstSample = sync.OnceValue(func() template.HTML { return sampleTabs(s.operations().At(referencePath("POST", "/v1/items")).Samples) })
	s.sources = sync.OnceValue(s.docSources)
	s.operations = sync.OnceValue(s.described)
	s.discovery = sync.OnceValues(func() (before, after discoveryFiles) {
		return newDiscoveryFiles(s.site, c.BaseURL, true), newDiscoveryFiles(s.site, c.BaseURL, false)
	})
	if s.issues = c.KnownIssues; s.issues == nil {
		s.issues = changelog.Issues()
	}
	s.changelog.make = func(told announcements) (*changelogPages, error) {
		return newChangelogPages(s.issues, told, c.BaseURL)
	}
	if s.table, err = translate.New(); err != nil {
		return nil, err
	}
	s.samples = newSamples(s.table)

	err = s.mountPublic()
	s.mountOperator()
	return s, err
}

// mountPublic mounts what the internet sees: the API, /rest, and the pages about them.
func (s *Server) mountPublic() (err error) {
	service, baseURL := s.config.Service, s.config.BaseURL
	public := routes{http.NewServeMux()}
	api := s.notFound(service.Handler())
	public.HandleFunc("GET /healthz", s.alive)
	public.HandleFunc("GET /readyz", s.ready)
	public.HandleFunc("GET "+interfacePath, serveInterface(baseURL))
	openAPI := serveOpenAPI(v1openapi.Document, baseURL, jsonType, keptMinutes)
	public.HandleFunc("GET "+openAPIPath, openAPI)
	public.HandleFunc("GET "+openAPIAmongPath, openAPI)
	public.HandleFunc("GET "+openAPIYAMLPath, serveOpenAPI(v1openapi.DocumentYAML, baseURL, yamlType, keptMinutes))
	public.HandleFunc("GET "+openAPILegacyPath, serveOpenAPI(openapi.Document, baseURL, jsonType, keptMinutes))
	public.HandleFunc("GET /errors.json", s.errorsJSON)
	public.HandleFunc("GET "+searchPath, s.search)
	public.HandleFunc("GET "+accountPath, s.accountPage)
	public.HandleFunc("GET "+errorsPath, s.errorsPage)
	public.HandleFunc("GET /errors/{code}", s.errorPage)
	s.mountReference(public)
	public.HandleFunc("GET /docs/{page}", s.doc)
	public.HandleFunc("GET /docs/examples/{file}", s.download("examples"))
	for _, workflow := range []string{"first-requests", "first-sale", "migration"} { // each had a document of its own until 1.5.2
		public.Handle("GET /docs/examples/"+workflow+".arazzo.json", http.RedirectHandler("/docs/examples/requests.arazzo.json", http.StatusPermanentRedirect))
	}
	public.HandleFunc("GET /docs/clients/{file}", s.download("clients"))
	public.HandleFunc("GET /docs/deploy/{file...}", s.download("deploy"))
	public.HandleFunc("GET "+changelog.FeedPath, withPages(s, &s.changelog, s.changelogFeed))
	public.HandleFunc("GET "+changelog.PagePath, withPages(s, &s.changelog, s.changelogPage))
	public.HandleFunc("GET "+changelog.PagePath+markdownSuffix, withPages(s, &s.changelog, s.changelogMarkdown))
	public.HandleFunc("GET "+changelog.PagePath+"/{version}", withPages(s, &s.changelog, s.changelogRelease))
	public.HandleFunc("GET "+changelog.IssuesPath, s.knownIssues)
	public.HandleFunc("GET "+changelog.IssuesPath+markdownSuffix, s.knownIssuesMarkdown())
	s.mountDiscovery(public)
	s.mountDownloads(public)
	s.mountLanguages(public)
	public.HandleFunc("GET "+translate.GuidePath, withPages(s, &s.migration, s.migrationPage))
	public.HandleFunc("GET "+translate.GuidePath+".md", withPages(s, &s.migration, s.migrationFile))
	public.HandleFunc("GET "+translate.GuidePath+".json", withPages(s, &s.migration, s.migrationFile))
	public.HandleFunc("GET "+guide.SchemaPath, withPages(s, &s.migration, s.migrationFile))
	public.HandleFunc("GET "+guide.CalendarPath, newAsset(newCalendar(translate.Sunset, baseURL), calendarType).serve)
	public.HandleFunc("GET "+guide.PrintPath, withPages(s, &s.migration, s.migrationWhole))
	public.HandleFunc("GET "+translate.GuidePath+"/{page}", s.migrationPart(api))
	public.HandleFunc("GET "+usagePath, withPages(s, &s.migration, s.usagePage))
	public.HandleFunc("GET "+translatorPath, s.translatorPage)
	public.HandleFunc("POST "+translatorPath, s.translate)
	public.HandleFunc("GET /style.css", s.asset)
	public.HandleFunc("GET /changelog.css", s.asset)
	public.HandleFunc("GET "+assetPath+"{file...}", s.asset)
	public.Handle("GET /favicon.ico", http.RedirectHandler(iconPath, http.StatusPermanentRedirect)) // browsers ask when they show JSON
	public.HandleFunc("GET "+testItemPath, s.testItem)
	public.HandleFunc("GET /{$}", withPages(s, &s.changelog, s.home))
	if s.config.Demo {
		public.Handle("GET /demo/images/", http.StripPrefix("/demo/images", demo.Images()))
	}
	public.HandleRest(service.AnswerMethods, api) // answers route_not_found in the envelope
	s.Public = s.around("v1", service.Refuse, withoutRedirects(public, "/v1/", api, func(path string) bool { return path == openAPIAmongPath }))
	s.Public, err = legacy.Mount(s.Public, legacy.Config{API: legacy.ServiceAPI(service, service.Clock()), Clock: service.Clock(), BaseURL: baseURL, Around: s.around})
	return err
}

// mountDiscovery mounts what leads programs, search engines and finders of faults to the rest.
func (s *Server) mountDiscovery(public routes) {
	public.HandleFunc("GET "+catalogPath, s.catalog)
	public.HandleFunc("GET "+llmsPath, s.llms)
	public.HandleFunc("GET "+robotsPath, serveRobots(s.config.BaseURL))
	public.HandleFunc("GET "+sitemapPath, s.sitemap)
	if s.config.SecurityContact != "" {
		public.HandleFunc("GET "+securityPath, s.security)
	}
}

// mountOperator mounts what the operator's own network sees.
func (s *Server) mountOperator() {
	operator := routes{http.NewServeMux()}
	service, read := s.config.Service, v1.ReadRole
	operatorHandler := service.OperatorHandler(s.operatorDoor())
	operator.HandleFunc("GET /healthz", s.alive)
	operator.HandleFunc("GET /readyz", s.ready)
	operator.Handle("GET /metrics", unlessHere(s.operatorOnly(read, s.metrics.handler()), s.metrics.handler()))
	operator.Handle("GET "+profilesPath, s.profiles())
	operator.Handle("GET "+openAPIOperatorPath, s.operatorOnly(read, serveOpenAPI(v1openapi.OperatorDocument, s.config.BaseURL, jsonType, keptPrivately)))
	pages := s.operatorOnly(read, operatorpages.New(operatorpages.Config{
		Service: service, Version: s.config.Version, Commit: s.config.Commit, Traffic: s.metrics.traffic, LegacyAccounts: s.metrics.accounts.count,
	}))
	for _, pattern := range operatorpages.Patterns {
		operator.Handle("GET "+pattern, pages)
	}
	for _, pattern := range operatorpages.Forms() {
		operator.Handle("POST "+pattern, pages)
	}
	operator.Handle("GET /{$}", http.RedirectHandler(operatorpages.Home, http.StatusSeeOther))
	operator.HandleFunc("GET /style.css", s.asset) // and the icon: what the pages load
	operator.HandleFunc("GET "+iconPath, s.asset)
	operator.HandleRest(service.AnswerMethods, operatorHandler)
	s.Operator = s.around(operatorStack, service.Refuse, withoutRedirects(operator, operatorPath, operatorHandler, func(path string) bool {
		return path == openAPIOperatorPath || path == operatorpages.Home || strings.HasPrefix(path, operatorpages.Below)
	}))
}

// operatorDoor is how operators come in.
func (s *Server) operatorDoor() v1.OperatorDoor {
	return v1.OperatorDoor{Token: s.config.OperatorToken, Header: s.config.OperatorHeader}
}

// operatorOnly serves a page or a document for operators with a role, on the operator's listener.
func (s *Server) operatorOnly(role v1.OperatorRole, next http.Handler) http.Handler {
	return s.config.Service.OperatorOnly(s.operatorDoor(), role, next)
}

// closedRest puts /rest before a handler, for the time in which the server starts.
func closedRest(next http.Handler, c StartingConfig) (_ http.Handler, err error) {
	next, err = legacy.Closed(next, legacy.Config{Clock: c.Clock, BaseURL: c.BaseURL}, notYet())
	return next, err
}

// notYet is the answer of a service that is starting, in English, as all texts of /rest are.
func notYet() error {
	refused, _ := v1.NotYet("")
	return refused
}

// withoutRedirects keeps the mux from redirecting paths that it would clean (//v1/items). Such paths do not exist, and the
// API answers so in its envelope. The API's own paths need no mux in front of its router, except for the pages among them.
func withoutRedirects(mux http.Handler, apiPath string, api http.Handler, isPage func(path string) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !cleanPath(r.URL.Path) || strings.HasPrefix(r.URL.Path, apiPath) && !isPage(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
