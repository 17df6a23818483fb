package seller

import (
	"path/filepath"

	"sellerd/translate/command"
)

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
