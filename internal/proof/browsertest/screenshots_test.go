package browsertest

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var writeScreenshots = flag.Bool("write-screenshots", false, "write the pictures of the pages to docs/img")

// picture is a picture in docs/img.
type picture struct {
	name    string
	path    string
	colours string
	screen  screen
	before  func(t *testing.T, s *site, p *tab) // what the reader does before it is taken
}

var pictures = []picture{
	{"home-light", "/", "light", desktop, nil},
	{"home-dark", "/", "dark", desktop, nil},
	{"home-phone", "/", "light", phone, nil},
	{"guide-light", "/migration", "light", desktop, nil},
	{"guide-dark", "/migration/item-create", "dark", desktop, nil},
	{"guide-phone", "/migration", "light", phone, nil},
	{"translator", "/migration/translate", "light", screen{1280, 1160, false}, paste},
	{"usage", "/migration?usage", "light", desktop, showUsage},
	{"reference", "/docs/reference/items/submitItem", "light", desktop, nil},
	{"changelog", "/changelog", "light", desktop, nil},
}

func paste(t *testing.T, _ *site, p *tab) {
	t.Helper()
	p.do(t, chromedp.SendKeys(pasteField, pasted), chromedp.Click(translateButton), chromedp.WaitVisible(chromedp.CSS("#result pre")))
	p.do(t, chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
}

func showUsage(t *testing.T, s *site, p *tab) {
	t.Helper()
	s.callRest(t)
	askForUsage(t, s, p)
}

// Limits of a picture. One that shows nothing has two colours or three.
const (
	maxPicture = 150_000 // bytes
	minColours = 16
)

// TestScreenshots takes the pictures of docs/img, and writes them to the folder that is named. See doc.go.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	s := newSiteCalled(t, "https://sellers.example.com")
	for _, shot := range pictures {
		t.Run(shot.name, func(t *testing.T) {
			p := newTab(t, s.url)
			p.inColours(t, shot.colours)
			p.on(t, shot.screen)
			p.open(t, s.url+shot.path)
			if shot.before != nil {
				shot.before(t, s, p)
				p.settle(t)
			}
			p.wantNoProblems(t)
			taken, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			small, colours := shrink(t, taken)
			if colours < minColours {
				t.Errorf("it has %d colours: there is nothing on it", colours)
			}
			if len(small) > maxPicture {
				t.Errorf("it has %d bytes, more than %d", len(small), maxPicture)
			}
			if *writeScreenshots {
				shot.write(t, small)
			}
		})
	}
}

// write puts the picture where documents show it.
func (shot picture) write(t *testing.T, taken []byte) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "docs", "img")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, shot.name+".png"), taken, 0o644); err != nil {
		t.Fatal(err)
	}
}

// shrink encodes a picture anew with the 256 colours that it has most of, and says how many it had.
func shrink(t *testing.T, taken []byte) (small []byte, colours int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(taken))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[picture.At(x, y)]++
		}
	}
	var palette color.Palette
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return brightness(a) - brightness(b)
	})
	reduced := image.NewPaletted(bounds, palette[:min(len(palette), 256)])
	draw.Draw(reduced, bounds, picture, bounds.Min, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, reduced); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), len(count)
}

// brightness orders colours, so that the same page always becomes the same file.
func brightness(c color.Color) int {
	r, g, b, _ := c.RGBA()
	return int(r>>8)<<16 | int(g>>8)<<8 | int(b>>8)
}
