package scan

import (
	"path"
	"slices"
	"strings"
)

// This file separates the programs of a scan: a folder may hold many, whose names have nothing to do with each other.

// minPrograms is how many folders a folder has at least when each holds a program of its own.
const minPrograms = 4

// partFolders are names of folders that are parts of a program.
var partFolders = words(`src lib libs app apps bin cmd internal pkg config conf etc settings include includes inc public web www html htdocs static assets views templates tests test spec specs docs doc
 main scripts script tools util utils common core shared modules module packages components services service controllers models helpers api client clients server worker workers jobs cron
 admin catalog classes functions data sql db migrations deploy docker ci resources res plugins extensions handlers routes pages store stores hooks types domain infrastructure adapters backend frontend infra ops web-app`)

// separate gives each source the folder of its program: the highest one that does not just hold programs.
func (s *scanner) separate() {
	kids, files := map[string][]string{}, map[string]bool{} // folders of a folder, and whether it has files that programs need
	for _, f := range s.sources {
		files[f.folder] = true
		for folder := f.folder; ; {
			above := folderOf(folder)
			if above == folder || slices.Contains(kids[above], folder) {
				break
			}
			kids[above] = append(kids[above], folder)
			folder = above
		}
	}
	holds := map[string]bool{}
	for folder, inner := range kids {
		parts := 0
		for _, name := range inner {
			if partFolders[strings.ToLower(path.Base(name))] {
				parts++
			}
		}
		holds[folder] = len(inner) >= minPrograms && !files[folder] && 4*parts <= len(inner)
	}
	for _, f := range s.sources {
		f.root = ""
		for folder := f.folder; ; {
			above := folderOf(folder)
			if above == folder {
				break
			}
			if holds[above] {
				f.root = folder
				break
			}
			folder = above
		}
	}
}

// apart says whether two files are of different programs.
func (f *source) apart(other *source) bool { return f.root != other.root }
