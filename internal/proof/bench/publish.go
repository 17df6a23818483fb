package main

import (
	"bytes"
	"context"
	"database/sql"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
)

// feeders is how many connections submit batches that are to be published.
const feeders = 4

// publish sends requests with so many items each, and waits until all are on sale. The rate is in items a second, the p99 is of the
// requests.
func (b *bench) publish(ctx context.Context, r *running, items int, l load) (out outcome, err error) {
	driver, name := "pgx", r.data.url
	if r.data.path != "" {
		driver, name = "sqlite3", "file:"+r.data.path+"?mode=ro"
	}
	beside, err := sql.Open(driver, name)
	if err != nil {
		return out, err
	}
	defer beside.Close()
	sum := b.published / items
	if l.next = atMost(sum); items > 1 {
		l.clients = feeders
	}
	return r.use(func() (all loaded, err error) {
		began := time.Now()
		if all, err = pressFor(ctx, 5*time.Minute, l); err != nil {
			return all, err
		}
		err = until(ctx, "all is published", func() (bool, error) {
			var waits bool
			err := beside.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM submissions WHERE status IN ('pending','processing'))").Scan(&waits)
			return !waits, err
		})
		all.requests, all.took = sum*items, time.Since(began)
		return all, err
	})
}

// showPictures serves a JPEG of 40 kB under every address, in this process.
func showPictures() (*httptest.Server, error) {
	picture, random := image.NewGray(image.Rect(0, 0, 200, 200)), rand.New(rand.NewPCG(1, 1))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, &jpeg.Options{Quality: 95}); err != nil {
		return nil, err
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(b.Bytes())
	})), nil
}
