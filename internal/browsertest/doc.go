// Package browsertest holds no code, only the tests that look at the pages as their readers do: in Chromium, without a
// window, on the whole service of package servertest.
//
// browser_test.go runs one browser for all tests, tab_test.go is a tab of it that keeps what the browser complains of, and
// site_test.go the service with the list of its pages, which is found by following the links from the first page on. A
// page that is added is therefore tested as soon as another one leads to it.
//
// TestNPMAccessibility needs the npm package axe-core and so the network: make npm
//
// The pictures in docs/img are taken by
//
//	go test -count 1 ./internal/browsertest -run TestScreenshots -args -write-screenshots
package browsertest
