package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"sellerd/internal/base/certificate"
	"sellerd/internal/command"
)

// Doctor is the command that looks for what is wrong.
type Doctor struct {
	Command
	JSON bool `help:"Print JSON."`

	client *http.Client                                      // asks the base URL; nil means the usual one
	space  func(folder string) (free, all uint64, err error) // of a disk; nil means the machine's
}

// The results of a check.
const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

// finding is a line of the report.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// examined is a part of the examination: it adds what it finds.
type examined struct {
	check string
	found []finding
}

func (e *examined) ok(text string) { e.found = append(e.found, finding{e.check, statusOK, text, ""}) }

func (e *examined) warn(text, remedy string) {
	e.found = append(e.found, finding{e.check, statusWarn, text, remedy})
}

func (e *examined) fail(text, remedy string) {
	e.found = append(e.found, finding{e.check, statusFail, text, remedy})
}

// examination bounds everything that the command waits for.
const examination = 9 * time.Second

// Run examines and prints.
func (c *Doctor) Run(ctx context.Context, p *command.Program) error {
	found := c.examine(ctx, p)
	failed := 0
	for _, f := range found {
		if f.Status == statusFail {
			failed++
		}
	}
	if c.JSON {
		if err := command.PrintJSON(found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Printf("%-4s  %-12s  %s\n", f.Status, f.Check, f.Text)
			if f.Remedy != "" {
				fmt.Printf("%20s  %s\n", "", f.Remedy)
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(found))
	}
	return nil
}

// examine makes all checks, those that wait at the same time.
func (c *Doctor) examine(ctx context.Context, p *command.Program) (found []finding) {
	ctx, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	parts := []struct {
		check string
		run   func(e *examined)
	}{
		{"settings", func(e *examined) { c.examineSettings(ctx, e, p) }},
		{"disk", c.examineDisk},
		{"time zones", examineZones},
		{"certificate", func(e *examined) { c.examineCertificate(e, p.Now()) }},
		{"database", func(e *examined) { c.examineDatabase(ctx, e, p.Now) }},
		{"standby", func(e *examined) { c.examineStandby(ctx, e) }},
		{"base URL", func(e *examined) { c.examineBaseURL(ctx, e, p.Now) }},
		{"webhook", func(e *examined) { examineWebhook(ctx, e) }},
	}
	all := make([]examined, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		all[i].check = part.check
		running.Go(func() { part.run(&all[i]) })
	}
	running.Wait()
	for _, e := range all {
		found = append(found, e.found...)
	}
	return found
}

func (c *Doctor) examineSettings(ctx context.Context, e *examined, p *command.Program) {
	problems, warnings := c.fileProblems(ctx, p)
	for _, problem := range problems {
		e.fail(problem.Error(), "sellerd config check shows the settings that hold")
	}
	for _, warning := range warnings {
		text, remedy, _ := strings.Cut(warning, ": ")
		e.warn(text, remedy)
	}
	if info, err := os.Stat(c.Path()); c.Path() != "" && err == nil && info.Mode().Perm()&0o077 != 0 {
		e.warn("other users may read the database", "chmod 600 "+c.Path())
	}
	if len(e.found) == 0 {
		e.ok("the settings can be used, and no other user may read the files beside the database")
	}
}

// Free space that is little, and too little: a share of the disk, and bytes.
const (
	littleShare = 20 // one part in so many
	littleSpace = 1 << 30
	noSpace     = 100 << 20
)

func (c *Doctor) examineDisk(e *examined) {
	folder := c.Folder()
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return // PostgreSQL may do without it, and for SQLite the database says so
	}
	probe, err := os.CreateTemp(folder, ".sellerd-doctor-*")
	if err != nil {
		e.fail(fmt.Sprintf("%s cannot be written: %v", folder, errors.Unwrap(err)), "let this user own it: see chown")
		return
	}
	_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // it was made for this
	space := c.space
	if space == nil {
		space = spaceOf
	}
	free, all, err := space(folder)
	text := fmt.Sprintf("%d MB of %d MB are free in %s", free>>20, all>>20, folder)
	switch {
	case err != nil:
		e.warn(fmt.Sprintf("how much is free in %s is not known: %v", folder, err), "look with df")
	case free < noSpace:
		e.fail(text, "make room: a server whose disk is full refuses changes")
	case free < littleSpace || free < all/littleShare:
		e.warn(text, "make room soon")
	default:
		e.ok(text)
	}
}

// spaceOf is what the disk of a folder has, in bytes.
func spaceOf(folder string) (free, all uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, 0, err
	}
	size := uint64(disk.Bsize)
	return uint64(disk.Bavail) * size, uint64(disk.Blocks) * size, nil
}

func examineZones(e *examined) {
	for _, folder := range []string{os.Getenv("ZONEINFO"), "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"} {
		if _, err := os.Stat(filepath.Join(folder, "Europe", "Brussels")); folder != "" && err == nil {
			e.ok("the machine has them in " + folder)
			return
		}
	}
	e.warn("the machine has none, so those of the program are used, which get old", "install tzdata")
}

func (c *Doctor) examineCertificate(e *examined, now time.Time) {
	pair, err := c.pair()
	if err != nil || pair == nil { // settings says what is wrong
		return
	}
	ends := pair.Leaf().NotAfter.UTC().Format(time.DateOnly)
	switch left := pair.Leaf().NotAfter.Sub(now); {
	case left <= 0:
		e.fail("it ended on "+ends, "renew it: the server takes the new files by itself")
	case left < certificate.Near:
		e.warn("it ends on "+ends, "renew it: the server takes the new files by itself")
	default:
		e.ok("it ends on " + ends)
	}
	if c.BaseURL != "" && pair.Leaf().VerifyHostname(hostOf(c.BaseURL)) != nil {
		e.fail("it is not for "+hostOf(c.BaseURL)+", the host of --base-url", "get one for this name")
	}
}
