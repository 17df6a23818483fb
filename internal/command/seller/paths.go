package seller

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sellerd/translate/command"
)

// given are the files that a command line names. Shells of Windows leave to programs what those of POSIX do: * and ?, and ~ for the
// user's folder. A path that is there is taken as it is.
func given(paths []string) []string {
	home, _ := os.UserHomeDir() // without one, ~ stays
	var all []string
	for _, path := range paths {
		if runtime.GOOS == "windows" {
			path = withoutQuote(path)
		}
		if _, err := os.Lstat(path); err == nil {
			all = append(all, path)
			continue
		}
		path = fromHome(path, home)
		if found, err := filepath.Glob(path); err == nil && len(found) > 0 {
			all = append(all, found...)
			continue
		}
		all = append(all, path)
	}
	return all
}

// withoutQuote is a path without the quotation mark that "C:\my shop\" ends in, because \" is a mark for programs of Windows. No name of a
// file has one there.
func withoutQuote(path string) string { return strings.TrimSuffix(path, `"`) }

// fromHome is a path whose ~ is a folder, with the separators of either system.
func fromHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		return home + rest
	}
	return path
}

// Clicked is what a window says that a click on a program's file has opened on Windows.
func Clicked(program string) string {
	folder, name := filepath.Split(program)
	return `This program has no window of its own. It is for the command line:

  1. Press the Windows key, type powershell, and press Enter.
  2. Go to the folder of this file:

         cd ` + command.PowerShell.Word(command.Text(folder)) + `

  3. Type a command, such as the first, which lists all of them:

         .\` + name + ` --help
         .\` + name + ` scan 'C:\my shop'
`
}
