//go:build !windows

package command

// useUTF8 does nothing: terminals of these systems take UTF-8.
func useUTF8() (restore func()) { return func() {} }

// ownsConsole is false: programs of these systems open no window.
func ownsConsole() bool { return false }
