package hooktest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// The environment of a reader: the service, the key, and the file in which it keeps what it has read.
const (
	readerURL  = "SELLERD_TEST_READER_URL"
	readerKey  = "SELLERD_TEST_READER_KEY"
	readerFile = "SELLERD_TEST_READER_FILE"
)

// TestFeed has three processes change the items of some sellers on one PostgreSQL, while for each seller a program reads the
// feed and is killed again and again. It ends with exactly the events that the log of a webhook and the items show: none is
// missing, none is there twice, and the events of each item are in their order.
func TestFeed(t *testing.T) {
	for run := range size(1, 5) {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			if !*long {
				t.Parallel()
			}
			feedSurvives(t, run)
		})
	}
}

func feedSurvives(t *testing.T, run int) {
	sellersN, items, changes := size(2, 4), size(10, 100), size(20, 125) // of each seller, and of each item
	database := postgres(t)
	servers := make([]*blackbox.Server, 3)
	for i := range servers {
		servers[i] = blackbox.NewServer(t, database)
		servers[i].Start(t)
	}
	sellers := blackbox.NewSellers(t, servers[0], sellersN)
	receiver := blackbox.NewReceiver(t, func(*http.Request, *blackbox.Receipt) int { return http.StatusOK })
	var changing, reading sync.WaitGroup
	done := make(chan struct{})
	files, kills := make([]string, sellersN), make([]int, sellersN)
	want := make([]map[string]int, sellersN) // how many events each item has
	for i, seller := range sellers {
		seller.SubscribeAs(t, receiver, fmt.Sprint(i), "paused") // its log has every event
		files[i] = filepath.Join(t.TempDir(), "feed")
		reading.Go(func() { kills[i] = killedReader(t, servers, seller.Key, files[i], done) })
		ids := seller.Publish(t, items)
		want[i] = map[string]int{}
		for _, id := range ids {
			want[i][id] = 1 + changes
		}
		for n, server := range servers { // each process changes every third item of its own, and the last one of another
			through := &blackbox.Seller{Client: &blackbox.Client{Server: server, Key: seller.Key}, Account: seller.Account}
			changing.Go(func() {
				for round := range changes {
					for j := n; j < len(ids); j += len(servers) {
						if !mustPatch(t, through, ids[(j+round)%len(ids)], fmt.Sprintf("Ceres, state %d of %d", round, j)) {
							return
						}
					}
				}
			})
		}
	}
	changing.Wait()
	close(done)
	reading.Wait()
	events, turned, killed := 0, 0, 0
	for i, seller := range sellers {
		for { // what is left
			kept := readFile(t, files[i])
			if err := readOnce(servers[0].URL(), seller.Key, files[i], 0); err != nil {
				t.Fatal(err)
			}
			if now := readFile(t, files[i]); len(now.events) == len(kept.events) {
				break
			}
		}
		killed += kills[i]
		got := readFile(t, files[i]).events
		var log []string
		for _, d := range seller.Deliveries(t, "") {
			log = append(log, d.EventID)
		}
		ids := make([]string, len(got))
		last := map[string]int{}
		for n, e := range got {
			ids[n] = e.ID
			if e.Resource.Sequence != last[e.Resource.ID]+1 {
				t.Errorf("seller %d: event %d of item %s follows event %d", i, e.Resource.Sequence, e.Resource.ID, last[e.Resource.ID])
			}
			last[e.Resource.ID] = e.Resource.Sequence
			if n > 0 && number(e.ID) < number(got[n-1].ID) {
				turned++
			}
		}
		for item, n := range want[i] {
			if last[item] != n {
				t.Errorf("seller %d: item %s has %d events, and the feed ends at %d", i, item, n, last[item])
			}
		}
		slices.Sort(ids)
		slices.Sort(log)
		if !slices.Equal(ids, log) {
			t.Errorf("seller %d: the feed has %d events (%d different), and the log of the webhook %d", i, len(ids), len(slices.Compact(slices.Clone(ids))), len(log))
		}
		events += len(got)
	}
	blackbox.Record(t, blackbox.Figure{
		Number: "R17", What: fmt.Sprintf("Run %d: %s events by 3 processes on PostgreSQL, readers killed %d times", run+1, blackbox.Thousands(int64(events)), killed),
		Aim: "none missing, none twice, in order", Measured: fmt.Sprintf("all there once and in order; %d have a smaller id than the one before", turned), Reached: !t.Failed(),
	})
}

// number is an event's id in a form that compares as the number does.
func number(id string) string { return fmt.Sprintf("%32s", id) }

// killedReader runs a program that reads the feed and kills it again and again, until done. It returns how often.
func killedReader(t *testing.T, servers []*blackbox.Server, key, file string, done <-chan struct{}) (n int) {
	for ; ; n++ {
		reader := exec.Command(os.Args[0])
		reader.Env = append(os.Environ(), readerURL+"="+servers[n%len(servers)].URL(), readerKey+"="+key, readerFile+"="+file)
		var said bytes.Buffer
		reader.Stderr = &said
		if err := reader.Start(); err != nil {
			t.Errorf("start a reader: %v", err)
			return n
		}
		ended := false
		select {
		case <-done:
			ended = true
		case <-time.After(time.Duration(20+rand.IntN(400)) * time.Millisecond):
		}
		_ = reader.Process.Kill()
		_ = reader.Wait() // it was killed
		if said.Len() > 0 {
			t.Errorf("a reader says: %s", said.String())
			return n
		}
		if ended {
			return n + 1
		}
	}
}

// readForever is the program that reads.
func readForever() {
	for {
		if err := readOnce(os.Getenv(readerURL), os.Getenv(readerKey), os.Getenv(readerFile), 5); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// readEvent is what a reader keeps of an event.
type readEvent struct {
	ID       string
	Resource struct {
		ID       string
		Sequence int
	}
}

// kept is what a reader's file has. A page counts when its cursor, which follows the events, is there.
type kept struct {
	events []readEvent
	cursor string
	size   int64 // of what counts
}

// readFile reads a reader's file: lines that are events, and after each page one with its cursor.
func readFile(t *testing.T, path string) kept {
	k, err := loadKept(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func loadKept(path string) (k kept, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	var page []readEvent
	at := int64(0)
	lines := bufio.NewReader(bytes.NewReader(text))
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // the end, or a line that was cut off
			return k, nil
		}
		at += int64(len(line))
		if cursor, ok := strings.CutPrefix(line, "cursor "); ok {
			k.events, k.cursor, k.size, page = append(k.events, page...), strings.TrimSpace(cursor), at, nil
			continue
		}
		var e readEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return k, err
		}
		page = append(page, e)
	}
}

// readOnce reads a page behind the last cursor and keeps it.
func readOnce(url, key, path string, wait int) error {
	known, err := loadKept(path)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/v1/events?limit=%d&wait=%d", url, 1+rand.IntN(200), wait), nil)
	if err != nil {
		return err
	}
	if known.cursor != "" {
		request.URL.RawQuery += "&after=" + known.cursor
	}
	request.Header.Set("X-Api-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var page struct {
		Data struct {
			Results    []json.RawMessage
			NextCursor string `json:"next_cursor"`
		}
		Errors json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s", answer.StatusCode, page.Errors)
	}
	var text bytes.Buffer
	for _, event := range page.Data.Results {
		text.Write(event)
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "cursor %s\n", page.Data.NextCursor)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(known.size); err != nil { // what a killed reader has left of a page
		return err
	}
	_, err = file.WriteAt(text.Bytes(), known.size)
	return err
}
