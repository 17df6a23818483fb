package command

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// codePage is that of UTF-8.
const codePage = 65001

// useUTF8 has the console of this program take what it and the programs behind it print for UTF-8, until restore is called. Go writes to a
// console in UTF-16 itself, so what counts is a program such as more, which reads our output and takes it for text in the console's page.
// Characters are not replaced: a file that the output is written to is UTF-8 in any case.
func useUTF8() (restore func()) {
	before, err := windows.GetConsoleOutputCP()
	if err != nil || before == codePage || windows.SetConsoleOutputCP(codePage) != nil { // there is no console, or nothing to do
		return func() {}
	}
	return func() { _ = windows.SetConsoleOutputCP(before) }
}

var consoleProcesses = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetConsoleProcessList")

// ownsConsole says whether somebody has clicked on the program's file. The program is then the only one of its console, and the console closes
// when the program ends.
func ownsConsole() bool {
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(os.Stdin.Fd()), &mode) != nil || consoleProcesses.Find() != nil {
		return false
	}
	var ids [2]uint32
	n, _, _ := consoleProcesses.Call(uintptr(unsafe.Pointer(&ids[0])), uintptr(len(ids)))
	return n == 1
}
