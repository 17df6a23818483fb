package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sellerd/v1/apikey"
)

// windows is how many parts of lists are read: go test ./cmd/seller -run Memory -v -args -windows=10000.
var windows = flag.Int("windows", 200, "of lists are remembered when the memory is measured")

// mostMemory bounds what the program occupies with 10,000 remembered windows, in bytes.
const mostMemory = 30_000_000

// TestMemoryOfManyWindows reads windows far from the beginning of lists, four of each list, and looks at what the program occupies. On a busy
// machine its garbage collector may have no processor for a while, and 10 MB may wait for it: another program has to do it with less then.
func TestMemoryOfManyWindows(t *testing.T) {
	api, program := lists(t), build(t)
	var at memory
	for range 3 {
		if at = readWindows(t, program, api.URL); at.now <= mostMemory && at.most <= mostMemory {
			return
		}
	}
	t.Errorf("with %d windows it occupies %s", *windows, at)
}

// readWindows starts the program, reads windows through it, and returns what it occupies then.
func readWindows(t *testing.T, program, service string) memory {
	t.Helper()
	r := start(t, program, "--to", service, "--addr", "127.0.0.1:0", "--state", filepath.Join(t.TempDir(), "state"))
	defer func() {
		_ = r.Process.Kill()
		r.wait()
	}()
	t.Logf("at the beginning %s", r.occupied(t))
	paths := []string{"auction/opened", "fixedprice/opened", "auction/closed", "fixedprice/closed"}
	for n := range *windows {
		list, part := n/4, n%4
		key := apikey.Assemble(fmt.Sprintf("abcdef%06d", list/8), "live", strings.Repeat("s", 32)).Text
		query := url.Values{"order": {[]string{"ASC", "DESC"}[list/4%2]}, "startingItem": {strconv.Itoa(200 * (part + 1))}, "numberOfItems": {"100"}}
		request, err := http.NewRequest(http.MethodGet, r.address+"/rest/item/"+paths[list%4]+"?"+query.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if items := strings.Count(string(body), "<item>"); err != nil || response.StatusCode != http.StatusOK || items != 100 {
			t.Fatalf("window %d: %d, %d items, %v\n%.500s", n, response.StatusCode, items, err, body)
		}
	}
	at := r.occupied(t)
	t.Logf("with %d windows %s", *windows, at)
	return at
}

// TestMemoryOfManyBulks sends many bulks at the same time, each nearly as large as one may be. The service answers when it has as
// many as run at the same time. A call of another program is answered meanwhile.
func TestMemoryOfManyBulks(t *testing.T) {
	const bulks, together, entries = 32, 8, 100
	var (
		mu      sync.Mutex
		arrived int
		all     = make(chan struct{})
		address = make(chan string, 1)
	)
	api := service(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.Contains(r.URL.RawQuery, "validate_only") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"status_code":422,"errors":[{"code":"invalid_image_url","message":"No.","field":"images[0].url"}]}`)
			return
		}
		mu.Lock()
		mine := all
		if arrived++; arrived%together == 0 {
			if arrived == together {
				address := <-address
				if answer := get(t, address+"/rest/seller"); !strings.Contains(answer, "anna") {
					t.Errorf("meanwhile another call was answered %s", answer)
				}
			}
			close(all)
			all = make(chan struct{})
		}
		mu.Unlock()
		<-mine
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status_code":202,"data":{"id":"bat_1","accepted_count":100,"rejected_count":0,"results":[]}}`)
	})
	r := start(t, build(t), "--to", api.URL, "--addr", "127.0.0.1:0", "--state", filepath.Join(t.TempDir(), "state"))
	address <- r.address
	form := url.Values{}
	for i := range entries {
		for name, value := range map[string]string{
			"[title]": "Card", "[id_category]": "1010101", "[personal_reference]": strconv.Itoa(i), "[fixed_price]": "1", "[images][0]": "http://www.example.com/1.png",
			"[description]": strings.Repeat("x", 20_000),
		} {
			form.Set("items["+strconv.Itoa(i)+"]"+name, value)
		}
	}
	body := form.Encode()
	began := time.Now()
	var sent sync.WaitGroup
	for n := range bulks {
		sent.Go(func() {
			request, err := http.NewRequest(http.MethodPost, r.address+"/rest/items", strings.NewReader(body+"&items[0][subtitle]="+strconv.Itoa(n)))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("X-Api-Key", key)
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
				t.Errorf("%d %.500s", response.StatusCode, text)
			}
		})
	}
	sent.Wait()
	took := time.Since(began)
	at := r.occupied(t)
	_ = r.Process.Signal(syscall.SIGTERM)
	r.wait()
	usage := r.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d bulks of %d bytes took %s, %s of CPU, and %s", bulks, len(body), took, time.Duration(usage.Utime.Nano()+usage.Stime.Nano()), at)
	if at.most > 180_000_000 {
		t.Errorf("%d bulks occupied %s", bulks, at)
	}
}

// get reads an address with a key.
func get(t *testing.T, address string) string {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Header.Set("X-Api-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

// memory is what a process occupies, in bytes.
type memory struct{ now, most int }

func (m memory) String() string { return fmt.Sprintf("%d bytes, at most %d", m.now, m.most) }

// occupied reads what the program occupies in memory, without what it shares with its file.
func (r *running) occupied(t *testing.T) memory {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) int {
		found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
		if found == nil {
			t.Fatalf("no %s in\n%s", name, status)
		}
		n, _ := strconv.Atoi(string(found[1]))
		return n << 10
	}
	return memory{number("VmRSS"), number("VmHWM")}
}

// lists is a service whose lists have 1100 items, and never change.
func lists(t *testing.T) *httptest.Server {
	const rows = 1100
	page := func(from, limit int, descending bool) string {
		var b strings.Builder
		b.WriteString(`{"status_code":200,"data":{"results":[`)
		for i := from; i < min(from+limit, rows); i++ {
			id := i
			if descending {
				id = rows - i
			}
			if i > from {
				b.WriteByte(',')
			}
			at := time.Date(2027, 10, 6, 0, 0, id, 0, time.UTC).Format(time.RFC3339)
			fmt.Fprintf(&b, `{"id":"%d","status":"open","sale_type":"auction","title":"Postcard of a harbour, used, with a stamp","description":"%s",`+
				`"category_id":"1010101","starting_price":{"amount":"9.99","currency":"EUR"},"images":[{"url":"https://img.example.com/%d.jpg"}],`+
				`"created_at":"%s","updated_at":"%s"}`, 1_000_000+id, strings.Repeat("text ", 100), id, at, at)
		}
		next := "null"
		if from+limit < rows {
			next = fmt.Sprintf(`"a-cursor-as-long-as-those-of-the-service-are-which-is-about-a-hundred-characters-of-base64-text-%d"`, from+limit)
		}
		return b.String() + `],"next_cursor":` + next + `}}`
	}
	var mu sync.Mutex
	pages := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		query := r.URL.Query()
		if query.Get("updated_from") != "" {
			_, _ = io.WriteString(w, `{"status_code":200,"data":{"results":[],"next_cursor":null}}`)
			return
		}
		after := query.Get("after")
		from, _ := strconv.Atoi(after[strings.LastIndex(after, "-")+1:])
		limit, _ := strconv.Atoi(query.Get("limit"))
		name := fmt.Sprint(from, limit, strings.HasSuffix(query.Get("sort"), "_desc"))
		mu.Lock()
		defer mu.Unlock()
		if pages[name] == "" {
			pages[name] = page(from, limit, strings.HasSuffix(query.Get("sort"), "_desc"))
		}
		_, _ = io.WriteString(w, pages[name])
	}))
	t.Cleanup(server.Close)
	return server
}
