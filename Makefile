# What one does with this repository. `make` alone lists it. CI runs the same targets through .ci/run.

GO       ?= go
FUZZTIME ?= 20s
KILLS    ?= 20
# Packages tested at the same time. Tests of one package already run in parallel, and both databases are busy then.
P        ?= 2

# The checkers are pinned in a module of their own, so that the program's go.mod lists only what the program needs.
TOOL     := $(GO) tool -modfile=internal/tools/go.mod
# Runs a command with a throw-away PostgreSQL, or without one where none is installed. Other engines, for example
# make test DATABASE=postgres://tester:PASSWORD@db.example.com/postgres
#   DATABASE   a server that is there, whose role may create databases; tests that kill or restart a server start their own
#   NEWEST     if not empty, the PostgreSQL of npm
#   ISOLATION  the default isolation level: serializable, repeatable read
#   POOLER     if not empty, PgBouncer in transaction mode between the tests and the server
ifdef DATABASE
export SELLERD_TEST_POSTGRES := $(DATABASE)
endif
POSTGRES := $(GO) run ./internal/proof/pgtest/cmd $(if $(NEWEST),-newest) $(if $(POOLER),-pooler) $(if $(ISOLATION),-isolation '$(ISOLATION)') --

.DEFAULT_GOAL := help
.PHONY: help run notice build dist dist-twice programs test system quick npm windows check tidy format vet staticcheck lint arch migrations fuzz fuzz-http soak soak-kills soak-import soak-race soak-points soak-webhooks soak-outages soak-failover soak-upgrade soak-sunset soak-linear soak-hostile soak-clock soak-pages figures bench version image release generate

# make lists the targets in groups, whose titles follow ##@.
##@ Run it

help: ## list the targets
	@awk -F ':.*## ' '/^##@ / {print "\n" substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

run: build ## compile (minutes the first time), then serve on http://localhost:8080 with a demo seller; everything is kept in ./data
	./bin/sellerd serve --demo --allow-private-targets

# The program says which commit it was built from. Without git or outside of a repository it says that it is unknown.
COMMIT = $(shell git describe --always --abbrev=40 --exclude='*' --dirty=', with changes' 2>/dev/null)

# SQLite is compiled, too. Afterwards Go has it in its cache.
build: ## build bin/sellerd and bin/seller
	@echo 'Compiling bin/sellerd: minutes the first time, seconds after that.'
	@$(GO) build -ldflags="-X 'main.stamped=$(COMMIT)'" -o bin/ ./cmd/sellerd ./cmd/seller

##@ Tests

# They begin first, so that they do not run alone at the end.
LONGEST  := ./v1 ./internal/server ./v1/hooks ./legacy

# These start no goroutine, which internal/proof/arch checks, and compute much: the gate takes six times as long with the race detector. Goroutines
# that share what they make are tested with the detector where they are started: in the server and in the bridge.
SEQUENTIAL := ./changelog ./conformance/gate ./conformance/release ./internal/languages ./internal/sheet ./translate ./translate/guide \
	./translate/letter ./translate/paste ./v1/openapi

# Tests of whole programs: sellerd and seller as they are built, browsers, proxies, kills, outages, the commands of the documents, clients in other
# languages, measurements. make system runs them, and CI does; make test does not.
SYSTEM := ./cmd/seller ./cmd/sellerd ./docs/clients ./docs/deploy ./internal/downloads/dist ./internal/proof/arazzotest ./internal/proof/bench/... \
	./internal/proof/browsertest ./internal/proof/clienttest ./internal/proof/crashtest ./internal/proof/docstest ./internal/proof/fuzzhttp \
	./internal/proof/hooktest ./internal/proof/hostiletest ./internal/proof/lineartest ./internal/proof/outagetest ./internal/proof/pgtest/...

# These ask the whole service from outside, and compare what it answers; most run it as a program of its own, which the detector does not see.
# Its goroutines are tested with the race detector by the packages that start them. make soak-race runs these with it, too.
OUTSIDE := ./conformance ./internal/proof/browsertest ./internal/proof/crashtest ./internal/proof/docstest ./internal/proof/fuzzhttp \
	./internal/proof/outagetest ./internal/proof/hooktest ./internal/proof/hostiletest ./internal/proof/lineartest ./internal/proof/clienttest \
	./docs/deploy

# These tests ask, read or compute one thing after another, and the race detector takes two to ten times as long for them. What they ask runs
# with the detector in the other tests of these packages, which have the requests and the workers that run beside each other.
# internal/proof/arch checks the names; make soak-race runs these with it, too.
READERS := TestLinksBetweenPages TestTextsWithoutTranslation TestPeopleFindThePageTheyLookFor TestOldAnchorsOfTheGuideArriveInEveryLanguage \
	TestLanguageModelsFindEveryPage TestEveryPageSaysWhatItIsAbout TestTheMapHasEveryPageUnderItsOneAddress TestEveryPageOfTheMenuIsThere \
	TestAPublicServerHasNothingForItsMakers TestTheGuideIsWholeInFrench TestPagesOfTheReferenceShowTheWholeDocument TestEveryPageIsThereInMarkdown \
	TestBundlesAreReadToTheirEnds TestALargeHARIsReadPieceByPiece TestHostileFilesAreReadOrNamed TestPlacesInManyManners \
	TestManyPlacesOfAFileAreCounted TestEveryLimitOfTheDocumentsIsKept TestThePairsOfTheMigrationGuide \
	TestADrillForAllIsAnnounced TestADrillThatIsEndedEarlyHasTakenPlace TestADrillThatIsCalledOffIsAnnouncedAsSuch TestPagesStayAtTheirAddresses \
	TestWhereAPageInAnotherLanguageLeads TestTheGuideRatesOneBuyerAfterTheOther TestFrenchQuestionsFindPages TestTheLogHasNoKeyFromAnyPlaceOfARequest \
	TestASampleAndItsTwinLeaveEqualDatabases TestPrintedCommandsDoWhatTheCallDid TestWhatIsReadOfAnItemCanBeSentBack \
	TestWindowsAreThoseOfTheService TestTheLastMileOfAnOldProgram TestARowThatJoinsTheNextSegmentIsCounted TestSessionsOfDeepWindowsAreExact \
	TestWhateverSellerAndBuyersDoTheBooksBalance TestAfterAnyHistoryPositionsCountTheRows \
	TestHostileBodiesAreCheap TestEveryFilterAndSortOfBillsAgreesWithAListMadeByHand TestEveryFilterAndSortAgreesWithAListMadeByHand \
	TestEveryPersonalByteIsExportedAndErased TestIdleBuyersAreForgotten TestNothingShowsBuyersToAKeyWithoutThePermission \
	TestWindowsAreTheListFromAnyRowOn TestAnyDescriptionComesBack TestWordsOfThousandsOfTitles TestWhatIsWrittenReadsBackTheSame \
	TestPlansOfItemPages TestPlansOfSalePages TestPlansOfBillPages TestAPageCostsNoMoreWhenThereAreMoreRows \
	TestAWalkAsksEachBillForItsOwnSales TestPlansOfWindows TestPlansOfDeliveryPages TestPlansOfCoveredPages \
	TestClaimsOnPostgresReadWhatTheyTakeWhateverTheStatisticsSay TestAKeyThatOnlyReadsChangesNoRow \
	TestAfterAnyHistoryTheBooksAreInOrder TestResetRemovesTheTestDataOfOneAccount
READ := ./internal/server ./translate/scan ./legacy ./internal/bridge ./v1

# What make check tests, and make test does not.
CHECKED := ./internal/proof/arch

# Many tests wait, for a deadline or for another program. Four in a package keep two cores busy meanwhile. make check vets all packages.
TESTFLAGS := -vet=off -p $(P) -parallel 4 -timeout 25m

# Which tests: those of make test, those of make system, or all.
PART := test
SUITE = $(TOOL) gotestsum --format standard-quiet --jsonfile "$$events" --post-run-command internal/tools/verdict.sh

# The verdict comes last: on which engine, how many tests passed, and loudly if PostgreSQL was missing.
test: ## test the packages, on SQLite and on PostgreSQL, mostly with the race detector; PACKAGES='./v1 ./translate' tests only these; PART=all adds make system (DATABASE=postgres://… is your own server)
	@events=$$(mktemp) && trap 'rm -f "$$events"' EXIT && \
		$(POSTGRES) $(SUITE) $(if $(PACKAGES),\
		-- -race $(TESTFLAGS) $(PACKAGES),\
		--raw-command -- internal/tools/suite.sh '$(PART)' '$(SYSTEM)' '$(OUTSIDE) $(SEQUENTIAL)' '$(LONGEST)' '$(CHECKED)' '$(READ) $(READERS)' $(TESTFLAGS))

system: ## run the tests of whole programs: browsers, proxies, kills, outages, the commands of the documents, clients in other languages
	@$(MAKE) --no-print-directory test PART=system PACKAGES=

# What a change is compared with.
BASE ?= origin/main

quick: ## run the tests that a change since BASE (origin/main) can break, the nearest first, on SQLite, in about a minute
	@internal/tools/quick.sh '$(BASE)' '$(SYSTEM) ./conformance/... ./docs/... ./internal/proof/arch'

# Their tag keeps them out of the suite, which works without a network. Their names begin with TestNPM.
npm: ## run the tests that need packages of npm, and so node and the network, or a spreadsheet
	$(GO) test -count 1 -timeout 25m -tags npm -run '^TestNPM' $$(grep -rl --include='*_test.go' '^//go:build npm$$' . | xargs -n 1 dirname | sort -u)

# Wine runs the program of sellers for Windows, and ld makes a library that Wine 8 lacks.
windows: ## run the program of sellers for Windows under Wine (Debian: wine binutils-mingw-w64-x86-64)
	$(GO) test -count 1 -tags wine -run '^TestWine' ./cmd/seller

##@ The code

check: tidy format vet staticcheck lint arch migrations notice programs ## everything about the code but what it does; changes no file

tidy: ## compare go.mod and go.sum with what is imported
	$(GO) mod tidy -diff
	$(GO) -C internal/tools mod tidy -diff
	$(GO) -C internal/proof/clienttest/go mod tidy -diff

format: ## list files that are not formatted
	@unformatted=$$($(TOOL) gofumpt -l .) || exit 1; \
		if [ -n "$$unformatted" ]; then echo "not formatted, run $(TOOL) gofumpt -w .:"; echo "$$unformatted"; exit 1; fi

vet: ## look for suspicious constructs
	$(GO) vet ./...

lint: ## run analyzers of others under go vet: errors, rows of database/sql and bodies left open, spelling (internal/tools/lint)
	$(GO) -C internal/tools build -o ../../bin/lint ./lint
	$(GO) vet -vettool=bin/lint $$($(GO) list ./... | grep -v '^sellerd/ent')

staticcheck: ## look for mistakes and unused code
	$(TOOL) staticcheck ./...

# Import arrows, the clock and ent's generated code.
arch: ## check import arrows, budgets, clock and generated code
	$(GO) test -count 1 -timeout 25m ./internal/proof/arch

migrations: ## test the migrations on both databases
	$(POSTGRES) $(GO) test -count 1 ./internal/store -run Migrat

# NOTICE names the modules of the programs and their licences. make generate writes it.
notice: ## compare NOTICE with the modules that the programs are built from
	@$(GO) -C internal/tools run ./notice ./cmd/... | diff NOTICE - || { echo 'NOTICE is not up to date: make generate'; exit 1; }

# Each step reads what the steps before it have written: the documents show the examples, and the guide the documents.
generate: ## write everything that is generated anew: ent's code, error codes, documents, guide, pages, NOTICE
	$(GO) generate ./ent
	$(GO) mod tidy
	SELLERD_GENERATE=1 $(GO) test -count 1 ./v1/refusal -run TheCodesAre
	SELLERD_GENERATE=1 $(GO) test -count 1 ./conformance -run 'Examples|ListedInTheDocs'
	SELLERD_GENERATE=1 $(GO) test -count 1 ./v1/items ./v1/openapi ./translate/openapi -run 'States|OpenAPIFile'
	SELLERD_GENERATE=1 $(GO) test -count 1 ./translate/guide ./changelog -run 'GuideFiles|FileOfChanges'
	SELLERD_GENERATE=1 $(GO) test -count 1 ./internal/proof/arazzotest
	$(GO) -C internal/tools run ./notice ./cmd/... >NOTICE.new && mv NOTICE.new NOTICE

##@ Long tests

fuzz: ## run each fuzz target for FUZZTIME (20s)
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's|/[^/]*:func | |' | while read -r package target; do \
		echo "$$package $$target"; \
		$(GO) test "$$package" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) || exit 1; \
	done

REQUESTS ?= 1000000
SEED     ?= 1

fuzz-http: ## send REQUESTS (1,000,000) generated requests to the service on both databases, from SEED (1) on
	$(GO) test ./internal/proof/fuzzhttp -run TestTheService -count 1 -v -timeout 24h -args -requests $(REQUESTS) -seed $(SEED)

soak: soak-race soak-kills soak-import soak-points soak-webhooks soak-outages soak-failover soak-upgrade soak-sunset soak-linear soak-hostile soak-clock soak-pages ## kill the server KILLS (20) times under load, take its database away, attack it, and try webhooks at full size: two hours

.NOTPARALLEL: soak

soak-race: ## run with the race detector what make test and make system run without it, but for packages that start no goroutine
	$(POSTGRES) $(GO) test -race -count 1 $(TESTFLAGS) $(OUTSIDE)
	$(POSTGRES) $(GO) test -race -count 1 $(TESTFLAGS) $(READ) -run '^($(subst $() ,|,$(strip $(READERS))))$$'

soak-pages: ## open every page of the site in the browser, in all languages; make system opens a few of each kind
	$(GO) test ./internal/proof/browsertest -run EveryPage -count 1 -timeout 60m -args -every-page

soak-kills: ## kill the server KILLS (20) times under load
	$(POSTGRES) $(GO) test ./internal/proof/crashtest -run TestKill9 -count 1 -v -timeout 2h -args -kills=$(KILLS) -npm

soak-import: ## import 10,000 rows, with KILLS (20) ends of the program in between
	$(GO) test ./internal/proof/crashtest -run TestTheImportSurvivesKills -count 1 -v -timeout 1h -args -kills=$(KILLS) -import-rows=10000

soak-points: ## kill the server at every point of its work
	$(POSTGRES) $(GO) test ./internal/proof/crashtest -run TestCrashPoints -count 1 -v -timeout 1h -args -every-point -npm

soak-webhooks: ## webhooks at full size
	$(POSTGRES) $(GO) test ./internal/proof/hooktest -count 1 -v -timeout 1h -args -long -npm

soak-outages: ## take the database away
	$(GO) test ./internal/proof/outagetest -skip 'TestStandby|TestPatroni' -count 1 -v -timeout 1h -args -long -npm

RESTARTS ?= 20
ROUNDS   ?= 20

# The second part takes the rights of root, and Debian's packages patroni, etcd-server and haproxy.
soak-failover: ## a primary with a standby as docs/deploy has them, killed, frozen, restarted RESTARTS (20) times, and more; then Patroni, whose primary is lost ROUNDS (20) times: 40 minutes
	$(GO) test ./internal/proof/outagetest -run TestStandby -count 1 -v -timeout 1h -args -long -npm -restarts=$(RESTARTS)
	$(GO) test ./internal/proof/outagetest -run TestPatroni -count 1 -v -timeout 2h -args -long -rounds=$(ROUNDS)

soak-upgrade: ## servers of older releases, built from their commits, replaced by these under load, and back, in ten minutes (FROM has others)
	$(GO) test ./internal/proof/outagetest -run TestUpgrade -count 1 -v -timeout 1h -args -npm -upgrade $(if $(FROM),-upgrade-from=$(FROM))

soak-sunset: ## run all tests of /v1 without /rest
	$(GO) test ./internal/proof/arch -run TestWithoutRestTheRulesStand -count 1 -v -timeout 1h -args -sunset-all

HISTORIES ?= 10000

soak-linear: ## compare HISTORIES (10,000) histories of concurrent requests with a model
	$(GO) test ./internal/proof/lineartest -count 1 -v -timeout 2h -args -histories=$(HISTORIES) -mutants

soak-hostile: ## thousands of slow callers, and sellers who name the operator's own addresses (in a network namespace), in ten minutes
	$(GO) test ./internal/proof/hostiletest -count 1 -v -timeout 1h -args -long

soak-clock: ## the clock of the running program jumps by up to a year, in fifteen minutes
	$(POSTGRES) $(GO) test ./internal/proof/crashtest -run TestClockJumps -count 1 -v -timeout 1h -args -purges -npm

##@ Measurements

FIGURES := bin/figures.md

# The table is printed also when a figure is missed, which fails the target.
figures: ## measure what docs/operator/reliability.md promises, print a row for each figure, and write its table
	@mkdir -p bin
	@printf '| Figure | Measured | Aim | Result | Reached |\n|---|---|---|---|---|\n' >$(FIGURES)
	@SELLERD_FIGURES=$(abspath $(FIGURES)) $(MAKE) --no-print-directory --keep-going soak >bin/figures.log 2>&1; status=$$?; \
		cat $(FIGURES); $(GO) test ./internal/proof/docstest -run TestTheFiguresAreThoseOfARun -count 1 -args -figures $(abspath $(FIGURES)) || exit 1; \
		[ $$status -eq 0 ] || { echo "not everything passed: see bin/figures.log"; exit 1; }

# Its flags, for example BENCH='-long -rounds 5' or BENCH='-databases postgres -cases submit,publish', which leave the page as it is.
BENCH    ?= -page docs/operator/performance.md

bench: ## measure the service and its limit, and write the tables of docs/operator/performance.md (BENCH=-long has all cases)
	$(GO) run ./internal/proof/bench $(BENCH)

##@ Releases

# The only place that says which release these sources are.
RELEASE = $(shell sed -n 's/^const Release = "\(.*\)"$$/\1/p' v1/core/releases.go)

version: ## print the release of these sources
	@echo $(RELEASE)

# Archives of the programs, as docs/operator/operating-releases.md describes them. Variables of dist:
#   VERSION  the release
#   CC       a C compiler, for the server on another processor, such as aarch64-linux-gnu-gcc, beside that of this machine
#   OUT      the folder
#   ONLY     which archives, with commas between: seller-linux-amd64
OUT    ?= bin/dist
DIST    = CGO_ENABLED=0 $(GO) run ./internal/downloads/dist -commit '$(COMMIT)' -time '$(shell git log -1 --format=%ct 2>/dev/null || echo 0)' -cc 'cc $(filter-out cc,$(CC))'

dist: ## build the archives of release VERSION for sellers and for this machine's kind of server, with sums and lists of modules, in bin/dist
	@[ -n '$(VERSION)' ] || { echo 'Which release? make dist VERSION=$(RELEASE)'; exit 1; }
	@rm -rf '$(OUT)'
	@$(DIST) -version '$(VERSION)' -out '$(OUT)' $(if $(ONLY),-only '$(ONLY)')

dist-twice: ## build the archives of release VERSION twice, in two folders and without a cache the second time, and compare them
	@$(MAKE) --no-print-directory dist
	@again=$$(mktemp -d) && trap 'chmod -R u+w "$$again"; rm -rf "$$again"' EXIT && \
		git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$$again" && \
		(cd "$$again" && GOCACHE="$$again/cache" $(DIST) -version '$(VERSION)' -out dist $(if $(ONLY),-only '$(ONLY)')) && \
		cmp '$(OUT)/SHA256SUMS' "$$again/dist/SHA256SUMS" && echo 'Both builds are equal.'

# What no test builds: the program of sellers for two other systems.
programs: ## build the program for sellers for Windows and macOS, and see that it is small
	@$(DIST) -version check -out bin/dist-check -only seller-windows-amd64,seller-darwin-arm64

image: ## build the image sellerd:RELEASE with Docker
	docker build -f docs/deploy/Dockerfile --build-arg VERSION=$(RELEASE) --build-arg COMMIT='$(COMMIT)' -t sellerd:$(RELEASE) .

release: ## seal what conformance/next promises as the release of these sources, after every test has passed
	$(MAKE) --no-print-directory check
	$(MAKE) --no-print-directory test PART=all PACKAGES=
	$(GO) run ./conformance/release $(RELEASE)
	$(GO) test -count 1 ./conformance -run 'Release|Announced|Sealed|Archive'
