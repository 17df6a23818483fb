// Package browsertest has only tests, which open the pages as their readers do: in Chromium, without a window, on the whole
// service of package servertest.
//
// browser_test.go runs one browser for all tests. tab_test.go has a tab of this browser, which records the browser's errors. site_test.go
// has the service and the list of its pages, which it finds by following links from the first page. So a new page is tested as soon as
// another one links to it. operator_test.go opens the operator's pages, paper_test.go prints, and first_sale_test.go runs the commands of
// the page for beginners.
//
// TestNPMAccessibility needs the npm package axe-core, and therefore the network: make npm
//
// The pictures in docs/img are taken by
//
//	go test -count 1 ./internal/proof/browsertest -run TestScreenshots -args -write-screenshots
package browsertest
