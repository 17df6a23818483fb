package main

import (
	"testing"

	"sellerd/internal/proof/helptest"
)

// TestHelp compares what each command says of itself with a file, which -update writes anew.
func TestHelp(t *testing.T) { helptest.Compare(t, program()) }

// TestEveryFlagIsExplained makes sure of what a reader looks for in a flag's help.
func TestEveryFlagIsExplained(t *testing.T) { helptest.Explain(t, program()) }
