package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"
)

// This file measures what more processes of the service on one PostgreSQL add. Each process gets the same share of a core, as
// if it had a small machine of its own, so that one machine with two cores can tell how the service scales and not how many
// cores it has. Gunther's Universal Scalability Law (https://www.perfdynamics.com/Manifesto/USLscalability.html) is fitted to
// the rates.

const (
	mostProcesses    = 4
	shareOfProcess   = 0.15 // of a core
	clientsOfProcess = 8
)

// scaled is what some processes did together.
type scaled struct {
	processes int
	outcome
}

// measureScale prints the rate of one to four processes for some kinds of requests, and the law's coefficients.
func (b *bench) measureScale(ctx context.Context, db database, out io.Writer) error {
	limited := true
	if q, err := newQuota("sellerd-bench-try", shareOfProcess); err == nil {
		if err := q.remove(); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(os.Stderr, "scale: processes have no quota of CPU time: %v\n", err)
		limited = false
	}
	heading := fmt.Sprintf("%s, scale, each process with %.0f %% of a core", db.name(), 100*shareOfProcess)
	if !limited {
		heading = db.name() + ", scale, WITHOUT QUOTAS: the processes share all cores"
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\n"+heading+"\tprocesses\trequests/s\tp99\tCPU µs\tof database\tof linear\t")
	var laws []string
	for _, c := range loadCases() {
		if !c.scales {
			continue
		}
		var all []scaled
		for n := 1; n <= mostProcesses; n++ {
			var rounds []outcome
			for range b.rounds {
				one, err := b.pressProcesses(ctx, db, &c, n, limited)
				if err != nil {
					return fmt.Errorf("%s, %d processes: %w", c.name, n, err)
				}
				rounds = append(rounds, one)
			}
			one := scaled{n, medians(rounds)}
			all = append(all, one)
			fmt.Fprintf(t, "%s\t%d\t%.0f\t%s\t%.0f\t%.0f\t%.2f\t\n", c.name, n, one.rate, millis(one.p99), micros(one.cpu), micros(one.database),
				one.rate/(all[0].rate*float64(n)))
		}
		law := fitLaw(all)
		laws = append(laws, fmt.Sprintf("%s: %.0f requests/s of one process, contention %.4f, coherence %.5f, %s", c.name, law.rate, law.contention, law.coherence, law.peak()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, strings.Join(laws, "\n"))
	return err
}

// pressProcesses is one round of some processes, each with as many clients.
func (b *bench) pressProcesses(ctx context.Context, db database, c *benchCase, processes int, limited bool) (out outcome, err error) {
	data := db.reads()
	if c.writes {
		if data, err = db.fresh(ctx); err != nil {
			return out, err
		}
	}
	var servers []*child
	var quotas []quota
	defer func() {
		for _, server := range servers {
			server.stop()
		}
		for _, q := range quotas {
			err = errors.Join(err, q.remove())
		}
	}()
	var addresses []string
	for i := range processes {
		server, err := b.start(ctx, side{shipped, b.builds[0]}, data)
		if err != nil {
			return out, err
		}
		servers, addresses = append(servers, server), append(addresses, server.address)
		if _, err := server.await(ctx, data.getRequest(nil, 7)); err != nil {
			return out, err
		}
		if limited {
			q, err := newQuota(fmt.Sprintf("sellerd-bench-%d-%d", os.Getpid(), i), shareOfProcess)
			if err != nil {
				return out, err
			}
			quotas = append(quotas, q)
			if err := q.limit(server.cmd.Process.Pid); err != nil {
				return out, err
			}
		}
	}
	requests := c.make(b, data, false)
	warm := func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return requests(buffer, random, client+1000*sellersAtOnce, n)
	}
	clients := clientsOfProcess * processes
	if _, err := press(ctx, addresses, clients, b.warmup, c.status, warm); err != nil {
		return out, err
	}
	return use(db, servers, func() (load, error) {
		return press(ctx, addresses, clients, b.duration, c.status, requests)
	})
}

// law is the Universal Scalability Law: n processes do rate·n / (1 + contention·(n−1) + coherence·n·(n−1)).
type law struct {
	rate       float64 // requests a second of one process
	contention float64 // the share of the work that waits in one queue
	coherence  float64 // the cost of each pair of processes
}

// fitLaw finds the law that fits best. n/rate(n) is linear in 1/rate, contention/rate and coherence/rate, so that the method of
// least squares has one solution. A coefficient below zero is noise: it is set to zero, and the others are found again.
func fitLaw(all []scaled) law {
	terms := []func(n float64) float64{
		func(float64) float64 { return 1 },
		func(n float64) float64 { return n - 1 },
		func(n float64) float64 { return n * (n - 1) },
	}
	used := []bool{true, true, true}
	for {
		var matrix [3][4]float64 // the normal equations, each point weighted by the square of its rate, for errors in percent
		for _, one := range all {
			n := float64(one.processes)
			weight := one.rate * one.rate / (n * n)
			for i := range terms {
				for j := range terms {
					matrix[i][j] += weight * terms[i](n) * terms[j](n)
				}
				matrix[i][3] += weight * terms[i](n) * n / one.rate
			}
		}
		for i := range terms {
			if !used[i] {
				matrix[i] = [4]float64{}
				matrix[i][i] = 1
			}
		}
		found := solve(matrix)
		worst := 0
		for i := 1; i < len(found); i++ {
			if used[i] && found[i] < min(0, found[worst]) {
				worst = i
			}
		}
		if worst == 0 {
			return law{rate: 1 / found[0], contention: max(0, found[1]/found[0]), coherence: max(0, found[2]/found[0])}
		}
		used[worst] = false
	}
}

// solve solves three equations, by Gauss and Jordan with the largest pivot.
func solve(m [3][4]float64) (x [3]float64) {
	for column := range m {
		pivot := column
		for row := column + 1; row < len(m); row++ {
			if math.Abs(m[row][column]) > math.Abs(m[pivot][column]) {
				pivot = row
			}
		}
		m[column], m[pivot] = m[pivot], m[column]
		for row := range m {
			if row == column || m[row][column] == 0 {
				continue
			}
			factor := m[row][column] / m[column][column]
			for i := column; i < len(m[row]); i++ {
				m[row][i] -= factor * m[column][i]
			}
		}
	}
	for i := range x {
		x[i] = m[i][3] / m[i][i]
	}
	return x
}

// at is the rate that the law gives n processes.
func (l law) at(n float64) float64 {
	return l.rate * n / (1 + l.contention*(n-1) + l.coherence*n*(n-1))
}

// peak says how many processes do most together.
func (l law) peak() string {
	if l.coherence == 0 {
		if l.contention == 0 {
			return "linear"
		}
		return fmt.Sprintf("at most %.0f requests/s", l.rate/l.contention)
	}
	most := math.Sqrt(max(0, 1-l.contention) / l.coherence)
	return fmt.Sprintf("most with %.0f processes, %.0f requests/s", most, l.at(max(1, most)))
}
