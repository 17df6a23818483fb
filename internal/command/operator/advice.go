package operator

import (
	"errors"
	"fmt"
	"strings"

	"sellerd/internal/command"
	"sellerd/v1"
)

// readable rewrites the service's errors about an input in terms of a command's flags.
func readable(err error) error {
	var problems v1.Errors
	if !errors.As(err, &problems) {
		return err
	}
	lines := make([]string, len(problems))
	for i, problem := range problems {
		lines[i] = fmt.Sprintf("--%s %s", strings.ReplaceAll(problem.Field, "_", "-"), problem.Message)
	}
	return command.WrongUsage(strings.Join(lines, "\n"))
}

// advise adds to an error of the service what to do, where that is not plain. An error about the value of a flag names the flag.
func advise(err error) error {
	for refusal, flag := range map[error]string{
		v1.ErrKeyName: "--name", v1.OperatorNameError{}: "--name", v1.ErrExpiry: "--expires", v1.ErrOverlap: "--overlap",
	} {
		if errors.Is(err, refusal) {
			return command.Wrong("%s: %s", flag, refusal)
		}
	}
	for refusal, advice := range map[error]string{
		v1.ErrNicknameTaken: "choose another with --nickname",
		v1.ErrNoAccount:     "`sellerd accounts list` shows the ids",
		v1.ErrNoKey:         "`sellerd keys list` shows the ids of an account's keys; the whole key will do as well",
		v1.ErrNoBuyer:       "every sale shows the id of its buyer, and `sellerd buyers find` finds it",
		v1.ErrClosed:        "`sellerd accounts reopen` opens it again",
		v1.ErrNotClosed:     "`sellerd accounts close` closes it",
		v1.ErrNoOperator:    "`sellerd operators list` shows the names",
		v1.ErrNotErased:     "run the command again when no backup or other program reads the database; the page Forget a buyer says how to run VACUUM",
	} {
		if errors.Is(err, refusal) {
			after := ": "
			if strings.HasSuffix(err.Error(), "?") {
				after = " "
			}
			return fmt.Errorf("%w%s%s", err, after, advice)
		}
	}
	return err
}
