package seller

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/demo"
	"sellerd/internal/importing"
)

type importSample struct {
	Rows       int    `arg:"" default:"1000" help:"How many listings (default: ${default})."`
	ImagesBase string `default:"http://localhost:8080/demo/images" placeholder:"URL" help:"Where the demo server's pictures are; empty for listings without pictures (default: ${default})."`
	Seed       uint64 `default:"1" placeholder:"N" help:"Another number gives other listings (default: ${default})."`
}

// Run writes the file to standard output.
func (c *importSample) Run() error {
	if c.Rows < 1 {
		return command.Wrong("the number of rows must be at least 1, not %d", c.Rows)
	}
	return writeSample(os.Stdout, c.Rows, strings.TrimSuffix(c.ImagesBase, "/"), c.Seed)
}

// One of so many rows is wrong on purpose.
const (
	mistakeEvery     = 50
	lostImagesEvery  = 211 // no picture can be fetched: rejected at publication
	lostPictureEvery = 97  // one picture cannot: published with a warning
)

// sampleRow is a listing by column.
type sampleRow map[string]string

// sampleMistakes are the mistakes, used in turn, each with its error code.
var sampleMistakes = []struct {
	code string
	make func(row sampleRow)
}{
	{"out_of_range", func(r sampleRow) { r.price("0.00") }},
	{"missing_field", func(r sampleRow) { r["title"] = "" }},
	{"unknown_category", func(r sampleRow) { r["category_id"] = "999999999" }},
	{"category_not_selectable", func(r sampleRow) { r["category_id"] = "1010000" }},
	{"html_not_allowed", func(r sampleRow) { r["title"] = "<b>RARE</b> " + r["title"] }},
	{"conflicting_fields", func(r sampleRow) { r.auction("5.00"); r["price"] = "12.50" }},
	{"too_long", func(r sampleRow) { r["title"] = strings.Repeat("Beautiful! ", 12) + r["title"] }},
	{"missing_field", func(r sampleRow) { r["price"], r["starting_price"] = "", "" }},
	{"unsupported_currency", func(r sampleRow) { r["currency"] = "JPY" }},
	{"invalid_image_url", func(r sampleRow) { r["images"] = "ftp://images.example.com/front.jpg" }},
	{"missing_field", func(r sampleRow) { r["subtitle"], r["options"] = "From an old collection", "" }},
	{"date_in_past", func(r sampleRow) { r["starts_at"] = "2001-01-01T00:00:00Z" }},
	{"out_of_range", func(r sampleRow) { r.auction("20.00"); r["reserve_price"] = "10.00" }},
	{"missing_field", func(r sampleRow) { r["sale_type"] = "" }},
	{"out_of_range", func(r sampleRow) { r.fixedPrice("0.50"); r["quantity"] = "0" }},
}

func (r sampleRow) fixedPrice(price string) {
	r["sale_type"], r["price"] = "fixed_price", price
	r["starting_price"], r["reserve_price"], r["bid_increment"] = "", "", ""
}

func (r sampleRow) auction(start string) {
	r["sale_type"], r["starting_price"] = "auction", start
	r["price"], r["quantity"], r["reserve_price"], r["bid_increment"] = "", "", "", ""
}

// price replaces the leading price.
func (r sampleRow) price(text string) {
	if r["sale_type"] == "auction" {
		r.auction(text)
		return
	}
	r["price"] = text
}

// writeSample writes a header and n listings.
func writeSample(out io.Writer, n int, imagesBase string, seed uint64) error {
	writer := csv.NewWriter(out)
	if err := writer.Write(importing.ListColumns()); err != nil {
		return err
	}
	s := sampler{rand.New(rand.NewPCG(seed, 0)), imagesBase, sampleSubjects()}
	record := make([]string, len(importing.ListColumns()))
	for i := 1; i <= n; i++ {
		row := s.listing(i)
		if i%mistakeEvery == 0 {
			sampleMistakes[i/mistakeEvery%len(sampleMistakes)].make(row)
		}
		for column, name := range importing.ListColumns() {
			record[column] = row[name]
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

//go:embed sample_subjects.tsv
var subjectsFile string

// subject is what collectors sell, with the category that it belongs to and the kind of demo picture that suits it.
type subject struct{ category, pictures, title string }

// sampleSubjects are those of the file, one on each line.
func sampleSubjects() (all []subject) {
	for line := range strings.Lines(subjectsFile) {
		category, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		pictures, title, _ := strings.Cut(rest, "\t")
		all = append(all, subject{category, pictures, title})
	}
	return all
}

const sampleDescriptions = `<ul><li>Condition: {very fine|fine|good, see pictures|as new}</li><li>{Sent as a letter with cover|Sent registered|Combined shipping from three items}</li></ul><p>{Guaranteed genuine.|From a smoke-free home.|One of a <b>large collection</b> that I sell bit by bit.|Questions are <i>welcome</i>.}</p>`

// sampler invents listings.
type sampler struct {
	rng        *rand.Rand
	imagesBase string
	subjects   []subject
}

func (s sampler) listing(i int) sampleRow {
	subject := s.subjects[s.rng.IntN(len(s.subjects))]
	title := s.expand(subject.title)
	row := sampleRow{
		"title": title, "category_id": subject.category, "currency": "EUR",
		"personal_reference": fmt.Sprintf("SAMPLE-%06d", i),
		"description":        "<p>" + title + ".</p>" + s.expand(sampleDescriptions),
	}
	cents := int(s.rng.ExpFloat64()*2500) + 50
	price := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	if s.oneIn(3) {
		row.auction(price)
		row["duration_days"] = s.expand("{7|10|14}")
		if s.oneIn(5) {
			row["reserve_price"] = fmt.Sprintf("%d.00", cents/100+10)
		}
		if s.oneIn(6) {
			row["bid_increment"] = "1.00"
		}
	} else {
		row.fixedPrice(price)
		row["renewals"] = s.expand("{0|3|99|99}")
		if s.oneIn(8) {
			row["quantity"] = strconv.Itoa(2 + s.rng.IntN(40))
		}
	}
	if s.oneIn(10) {
		row["options"] = s.expand("{bold_title|top_category|highlight colored_border}")
	}
	if s.oneIn(20) {
		row["subtitle"], row["options"] = s.expand("{From an old collection|See both pictures|Combined shipping possible}"), "subtitle"
	}
	if s.oneIn(15) {
		row["site"] = s.expand("{fr|de|nl|it|es|be}")
	}
	if s.oneIn(12) {
		row["preferred_end_day"], row["preferred_end_time"] = "sun", s.expand("{19:00|20:30|21:00}")
	}
	if s.oneIn(3) {
		row["weight_grams"] = strconv.Itoa(5 * (1 + s.rng.IntN(60)))
	}
	row["images"] = strings.Join(s.images(i, subject.pictures), " ")
	return row
}

// images are 0 to 4 pictures of the right kind.
func (s sampler) images(i int, kind string) []string {
	if s.imagesBase == "" {
		return nil
	}
	if i%lostImagesEvery == 0 {
		return []string{s.imagesBase + "/outcome/missing.jpg", s.imagesBase + "/outcome/not-an-image.jpg"}
	}
	var urls []string
	fitting := slices.DeleteFunc(demo.ImageNames(), func(name string) bool { return !strings.HasPrefix(name, kind) })
	for _, at := range s.rng.Perm(len(fitting))[:s.rng.IntN(5)] {
		urls = append(urls, s.imagesBase+"/"+fitting[at])
	}
	if i%lostPictureEvery == 0 {
		urls = append(urls, s.imagesBase+"/"+fitting[0], s.imagesBase+"/outcome/missing.jpg")
	}
	return urls
}

func (s sampler) oneIn(n int) bool { return s.rng.IntN(n) == 0 }

// expand chooses from each {one|of|these}.
func (s sampler) expand(pattern string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		choices, after, _ := strings.Cut(rest, "}")
		words := strings.Split(choices, "|")
		b.WriteString(words[s.rng.IntN(len(words))])
		pattern = after
	}
}
