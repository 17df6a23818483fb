// Package demo is what `sellerd serve --demo` shows to somebody who has no shop yet: pictures of stamps, coins and
// postcards that never existed. They are drawn when first asked for, so the program carries no image files, and look the
// same after every start.
package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// tooLarge is the size of /outcome/too-large.jpg in bytes: more than the 10 MiB an item's image may have.
const tooLarge = 11 << 20

// Images serves the pictures of ImageNames, and the outcome files: images with a fixed fate, for integrators who want to
// see each way a publication can end.
//
//	/outcome/ok.jpg            an ordinary picture: the image becomes ready
//	/outcome/missing.jpg       404: image_unreachable
//	/outcome/hang.jpg          no answer until the client leaves: image_unreachable, once the fetcher lost its patience
//	/outcome/too-large.jpg     11 MiB: image_too_large
//	/outcome/not-an-image.jpg  text under an image's name: image_format_unsupported
//
// Paths are relative to where the handler is mounted.
func Images() http.Handler {
	mux := http.NewServeMux()
	for _, p := range pictures() {
		mux.HandleFunc("GET /"+p.name, serveOnceDrawn(p))
	}
	mux.HandleFunc("GET /outcome/ok.jpg", serveOnceDrawn(picture{name: "ok.jpg", file: postcards[0].file}))
	mux.HandleFunc("GET /outcome/missing.jpg", http.NotFound)
	mux.HandleFunc("GET /outcome/too-large.jpg", serveTooLarge)
	mux.HandleFunc("GET /outcome/not-an-image.jpg", serveText)
	mux.HandleFunc("GET /outcome/hang.jpg", hang)
	return mux
}

// ImageNames lists the pictures Images serves, such as "stamp-01.png", without a leading slash.
func ImageNames() []string {
	var names []string
	for _, p := range pictures() {
		names = append(names, p.name)
	}
	return names
}

// Look is what somebody learns who downloads one of the pictures.
type Look struct {
	Width, Height int // pixels
	ContentType   string
}

// LookAt tells what Images serves under a name of ImageNames, without drawing it. It is false for any other name.
func LookAt(name string) (Look, bool) {
	for _, p := range pictures() {
		if p.name == name {
			return Look{p.size.X, p.size.Y, p.contentType}, true
		}
	}
	return Look{}, false
}

func serveOnceDrawn(p picture) http.HandlerFunc {
	file := sync.OnceValue(p.file)
	return func(w http.ResponseWriter, r *http.Request) {
		body := file()
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.Header().Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(body)))
		http.ServeContent(w, r, p.name, time.Time{}, bytes.NewReader(body))
	}
}

// serveTooLarge begins like a picture, so that nothing but the size speaks against it.
func serveTooLarge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(tooLarge))
	filler := make([]byte, 64<<10)
	sent, err := w.Write(postcards[0].file())
	for sent < tooLarge && err == nil { // the client may have seen enough before
		var n int
		n, err = w.Write(filler[:min(len(filler), tooLarge-sent)])
		sent += n
	}
}

func serveText(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	fmt.Fprintln(w, "This file is called .jpg, but it is text.")
}

// hang waits until the client has left. Should the server end the request first, its answer is at least no image.
func hang(w http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	w.WriteHeader(http.StatusGatewayTimeout)
}

// picture is a file and how to make it.
type picture struct {
	name        string
	size        image.Point
	contentType string
	file        func() []byte
}

// Sizes in pixels.
var (
	stampSize    = image.Pt(240, 300)
	coinSize     = image.Pt(240, 240)
	postcardSize = image.Pt(420, 280)
)

func pictures() []picture {
	var all []picture
	for i, s := range stamps {
		all = append(all, picture{fmt.Sprintf("stamp-%02d.png", i+1), stampSize, "image/png", s.file})
	}
	for i, c := range coins {
		all = append(all, picture{fmt.Sprintf("coin-%02d.gif", i+1), coinSize, "image/gif", c.file})
	}
	for i, p := range postcards {
		all = append(all, picture{fmt.Sprintf("postcard-%02d.jpg", i+1), postcardSize, "image/jpeg", p.file})
	}
	return all
}

// stamp is a small upright picture with a perforated edge.
type stamp struct {
	issuer, value string
	ink           uint32 // of frame and letters
	scene         scene
}

var stamps = []stamp{
	{"ALDORIA", "5 c", 0x8c2f39, scene{mountains, 0xf6d7a7, 0xe8946a, 0x6d597a}},
	{"PORT MIRA", "20 c", 0x14506b, scene{ship, 0xd9eef2, 0x9fd3de, 0x2a7f9e}},
	{"VESTMARK", "1 kr", 0x2f5d3a, scene{lighthouse, 0xfbe9c6, 0xf2b880, 0x3d7068}},
	{"ISLA NORTE", "10 c", 0x7a3e8e, scene{flower, 0xf3e8f7, 0xd5bfe3, 0x5b8c5a}},
	{"SANTA LUZ", "2 L", 0xb3541e, scene{balloon, 0xfff1d6, 0xffd08a, 0xc9863f}},
	{"ALDORIA", "15 c", 0x1d3557, scene{mountains, 0xdcebf7, 0xa8c8e4, 0x45688e}},
	{"PORT MIRA", "50 c", 0x5b1f2b, scene{ship, 0xfbe3d4, 0xf0b79a, 0x8f4a4f}},
	{"VESTMARK", "3 kr", 0x26354a, scene{lighthouse, 0x54678f, 0x2f3c5f, 0x1d2b3f}},
	{"ISLA NORTE", "40 c", 0xa4243b, scene{flower, 0xfdf0e6, 0xf7c9b6, 0x476a6f}},
	{"SANTA LUZ", "5 L", 0x1f6f63, scene{balloon, 0xe2f5ef, 0xa9dccb, 0x4e9c86}},
}

func (s stamp) file() []byte {
	c := newCanvas(stampSize)
	album := rgb(0x30333b)
	c.fill(album, rectangle(0, 0, 100, 125))
	c.fill(rgb(0xfaf6ec), rectangle(4, 4, 92, 117))
	for i := range 15 { // perforation: holes through which the album shows
		across := 4 + 92*float64(i)/14
		c.fill(album, circle(across, 4, 2.1), circle(across, 121, 2.1))
	}
	for i := range 19 {
		down := 4 + 117*float64(i)/18
		c.fill(album, circle(4, down, 2.1), circle(96, down, 2.1))
	}
	c.fill(rgb(s.ink), rectangle(11, 11, 78, 103))
	s.scene.paint(c.part(13, 13, 74, 84))
	c.text(s.issuer, 14, 108.5, 8, start, rgb(0xfaf6ec))
	c.text(s.value, 86, 108.5, 8, end, rgb(0xfaf6ec))
	return encode(func(b *bytes.Buffer) error { return png.Encode(b, c.img) })
}

// coin is a disc of metal with a value and a year.
type coin struct {
	value, unit, year string
	dark, light       uint32 // of the metal
	points            int    // of the star above the value
}

var coins = []coin{
	{"5", "MARKA", "1873", 0x6b4a16, 0xf5d77c, 5},
	{"10", "SKILL", "1901", 0x55585e, 0xf2f4f7, 6},
	{"1", "KRONA", "1888", 0x5a2a12, 0xe8a06c, 8},
	{"25", "CENTI", "1934", 0x4d5148, 0xe6e8d8, 5},
	{"2", "LUZIO", "1912", 0x6b4a16, 0xf5d77c, 12},
	{"50", "ORI", "1956", 0x3f4a57, 0xdde7f0, 7},
}

func (k coin) file() []byte {
	c := newCanvas(coinSize)
	felt, dark, light := rgb(0x1f2f2b), rgb(k.dark), rgb(k.light)
	c.fill(felt, rectangle(0, 0, 100, 100))
	c.fill(rgb(0x121c1a), circle(51.5, 52, 43)) // shadow
	c.shade(light, dark, circle(50, 50, 43))
	c.shade(dark, light, circle(50, 50, 40))
	c.shade(light, mix(light, dark, 0.55), circle(50, 50, 38.5))
	for i := range 60 {
		x, y := onCircle(50, 50, 36, float64(i)/60)
		c.fill(mix(light, dark, 0.7), circle(x, y, 0.9))
	}
	c.fill(mix(light, dark, 0.75), star(50, 25.5, 7, k.points))
	for _, side := range []float64{-1, 1} { // two branches of laurel
		for i := range 7 {
			x, y := onCircle(50, 50, 29, 0.5+side*(0.09+0.045*float64(i)))
			c.fill(mix(light, dark, 0.6), circle(x, y, 1.9), circle(x-side*2, y-2, 1.3))
		}
	}
	c.text(k.value, 50.6, 61.6, 30, middle, light) // an edge in the light makes the numeral stand out
	c.text(k.value, 50, 61, 30, middle, mix(light, dark, 0.9))
	c.text(k.unit, 50, 70, 7.5, middle, mix(light, dark, 0.9))
	c.text(k.year, 50, 77, 6.5, middle, mix(light, dark, 0.9))

	metal := color.Palette{felt, rgb(0x121c1a), rgb(0x18241f)}
	for i := range 61 {
		metal = append(metal, mix(light, dark, float64(i)/60))
	}
	flat := image.NewPaletted(c.img.Bounds(), metal)
	draw.Draw(flat, flat.Bounds(), c.img, image.Point{}, draw.Src)
	return encode(func(b *bytes.Buffer) error { return gif.Encode(b, flat, nil) })
}

// postcard is a wide picture with a greeting.
type postcard struct {
	greeting string
	scene    scene
}

var postcards = []postcard{
	{"Greetings from Aldoria", scene{mountains, 0xbfe0f5, 0xf7e7c8, 0x4d7c8a}},
	{"Sailing home to Port Mira", scene{ship, 0xf9c58d, 0xf7e3c4, 0x2b6777}},
	{"Vestmark by night", scene{lighthouse, 0x1b2447, 0x5a5f8f, 0x141c2e}},
	{"Spring on Isla Norte", scene{flower, 0xcdeaf7, 0xf4f7e1, 0x6a994e}},
	{"The balloons of Santa Luz", scene{balloon, 0x8ecae6, 0xfdf0d5, 0xbc6c25}},
	{"Winter in Aldoria", scene{mountains, 0x8fa9c4, 0xe9eef4, 0x6b7f99}},
	{"The mail boat, Port Mira", scene{ship, 0x9ad1d4, 0xe8f6ef, 0x1f5f8b}},
	{"Vestmark, the old light", scene{lighthouse, 0xffb997, 0xffe5b4, 0x3d5a6c}},
}

func (p postcard) file() []byte {
	c := newCanvas(postcardSize)
	c.fill(rgb(0xfbf8f1), rectangle(0, 0, 100, 67))
	p.scene.paint(c.part(3, 3, 94, 53))
	c.text(p.greeting, 50, 62.5, 5, middle, rgb(0x4a3f35))
	return encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, c.img, &jpeg.Options{Quality: 85}) })
}

// encode returns what write puts down. Encoders fail on impossible images or failing writers, and there are none here.
func encode(write func(*bytes.Buffer) error) []byte {
	var file bytes.Buffer
	if err := write(&file); err != nil {
		panic(fmt.Errorf("encode a demo picture: %w", err))
	}
	return file.Bytes()
}

// scene is a motif with its colours.
type scene struct {
	motif        func(c canvas, ground color.RGBA)
	sky, horizon uint32
	ground       uint32
}

func (s scene) paint(c canvas) {
	c.shade(rgb(s.sky), rgb(s.horizon), rectangle(0, 0, 100, 200))
	s.motif(c, rgb(s.ground))
}

func mountains(c canvas, ground color.RGBA) {
	h := c.tall()
	c.fill(rgb(0xfff3d1), circle(72, h*0.28, 10))
	c.fill(mix(ground, white, 0.45), polygon(-5, h, 20, h*0.42, 42, h*0.72, 62, h*0.36, 105, h))
	c.fill(white, polygon(62, h*0.36, 54.5, h*0.5, 59, h*0.47, 63, h*0.52, 67, h*0.46, 71, h*0.49))
	c.fill(ground, polygon(-5, h, -5, h*0.8, 34, h*0.55, 58, h*0.78, 80, h*0.66, 105, h*0.86, 105, h))
	c.fill(mix(ground, black, 0.35), polygon(-5, h, -5, h*0.9, 30, h*0.83, 70, h*0.93, 105, h*0.88, 105, h))
}

func ship(c canvas, sea color.RGBA) {
	h := c.tall()
	c.fill(rgb(0xfff6df), circle(24, h*0.26, 8))
	c.fill(sea, rectangle(0, h*0.7, 100, h))
	c.fill(rgb(0x5c3d2e), polygon(49, h*0.14, 51, h*0.14, 51, h*0.7, 49, h*0.7))
	c.fill(rgb(0xfffdf5), polygon(52, h*0.17, 76, h*0.6, 52, h*0.6), polygon(48, h*0.23, 48, h*0.6, 28, h*0.6))
	c.fill(rgb(0x7f2f2f), polygon(24, h*0.64, 80, h*0.64, 70, h*0.78, 33, h*0.78))
	for i := range 5 {
		y := h * (0.79 + 0.05*float64(i))
		x := float64(i%2)*14 - 8
		for ; x < 105; x += 28 {
			c.fill(mix(sea, white, 0.35), polygon(x, y, x+7, y-1.2, x+14, y, x+7, y+1))
		}
	}
}

func lighthouse(c canvas, rock color.RGBA) {
	h := c.tall()
	beam := color.RGBA{R: 0x70, G: 0x6a, B: 0x48, A: 0x70} // see-through: premultiplied
	c.fill(beam, polygon(50, h*0.27, 110, h*0.08, 110, h*0.44), polygon(50, h*0.27, -10, h*0.14, -10, h*0.38))
	c.fill(mix(rock, white, 0.25), rectangle(0, h*0.8, 100, h))
	c.fill(rock, polygon(8, h, 26, h*0.82, 42, h*0.76, 62, h*0.76, 78, h*0.84, 96, h))
	c.fill(rgb(0xf7f4ec), polygon(44, h*0.33, 56, h*0.33, 60, h*0.79, 40, h*0.79))
	for i := range 3 {
		y := h * (0.4 + 0.14*float64(i))
		w := 6.5 + 1.2*float64(i)
		c.fill(rgb(0xb23a48), polygon(50-w, y, 50+w, y, 50+w+0.7, y+h*0.07, 50-w-0.7, y+h*0.07))
	}
	c.fill(rgb(0x2d2d34), rectangle(42, h*0.31, 16, h*0.025), polygon(44, h*0.23, 56, h*0.23, 50, h*0.16))
	c.fill(rgb(0xffe28a), rectangle(45.5, h*0.23, 9, h*0.08))
}

func flower(c canvas, leaf color.RGBA) {
	h := c.tall()
	c.fill(mix(leaf, white, 0.3), polygon(-5, h, -5, h*0.88, 50, h*0.8, 105, h*0.9, 105, h))
	for _, bloom := range []struct{ x, y, r float64 }{{26, h * 0.5, 6}, {76, h * 0.46, 6.5}, {50, h * 0.34, 9.5}} {
		c.fill(leaf, rectangle(bloom.x-0.8, bloom.y, 1.6, h-bloom.y))
		c.fill(leaf, polygon(bloom.x, h*0.86, bloom.x+13, h*0.7, bloom.x+4, h*0.84), polygon(bloom.x, h*0.9, bloom.x-13, h*0.75, bloom.x-4, h*0.88))
		for i := range 8 {
			x, y := onCircle(bloom.x, bloom.y, bloom.r, float64(i)/8)
			c.fill(rgb(0xc8553d), circle(x, y, bloom.r*0.52))
			c.fill(rgb(0xe07a5f), circle(x, y, bloom.r*0.4))
		}
		c.fill(rgb(0xf2cc5d), circle(bloom.x, bloom.y, bloom.r*0.62))
	}
}

func balloon(c canvas, land color.RGBA) {
	h := c.tall()
	c.fill(mix(land, white, 0.35), polygon(-5, h, -5, h*0.84, 30, h*0.76, 70, h*0.86, 105, h*0.78, 105, h))
	c.fill(land, polygon(-5, h, -5, h*0.94, 45, h*0.87, 105, h*0.95, 105, h))
	for _, b := range []struct {
		x, y, r float64
		cloth   uint32
	}{{80, h * 0.25, 7, 0x3d5a80}, {44, h * 0.36, 17, 0xc1443c}} {
		skirt := b.y + b.r*0.72
		c.fill(rgb(b.cloth), circle(b.x, b.y, b.r), polygon(b.x-b.r*0.7, skirt, b.x+b.r*0.7, skirt, b.x+b.r*0.2, b.y+b.r*1.45, b.x-b.r*0.2, b.y+b.r*1.45))
		c.fill(rgb(0xfbe8c8), ellipse(b.x, b.y, b.r*0.45, b.r), polygon(b.x-b.r*0.3, skirt, b.x+b.r*0.3, skirt, b.x+b.r*0.1, b.y+b.r*1.45, b.x-b.r*0.1, b.y+b.r*1.45))
		c.fill(rgb(b.cloth), ellipse(b.x, b.y, b.r*0.14, b.r))
		c.fill(rgb(0x6b4423), rectangle(b.x-b.r*0.2, b.y+b.r*1.65, b.r*0.4, b.r*0.32))
		c.fill(rgb(0x6b4423), rectangle(b.x-b.r*0.19, b.y+b.r*1.45, b.r*0.04, b.r*0.2), rectangle(b.x+b.r*0.15, b.y+b.r*1.45, b.r*0.04, b.r*0.2))
	}
}

// canvas is a rectangle to draw on. It is 100 units wide whatever its pixels are, and cuts off what goes beyond.
type canvas struct{ img *image.RGBA }

func newCanvas(size image.Point) canvas {
	return canvas{image.NewRGBA(image.Rectangle{Max: size})}
}

// part is a smaller canvas with its own 100 units.
func (c canvas) part(x, y, width, height float64) canvas {
	u := c.unit()
	area := image.Rect(int(x*u), int(y*u), int((x+width)*u), int((y+height)*u)).Add(c.img.Rect.Min)
	return canvas{c.img.SubImage(area).(*image.RGBA)}
}

func (c canvas) unit() float64 { return float64(c.img.Rect.Dx()) / 100 }      // in pixels
func (c canvas) tall() float64 { return float64(c.img.Rect.Dy()) / c.unit() } // the height in units

func (c canvas) fill(ink color.RGBA, shapes ...shape) { c.draw(image.NewUniform(ink), shapes) }

// shade fills with a colour that changes from the top of the canvas to its bottom.
func (c canvas) shade(top, bottom color.RGBA, shapes ...shape) {
	c.draw(gradient{top, bottom, c.img.Rect.Dy()}, shapes)
}

// draw works on the few pixels a shape covers: most shapes are tiny.
func (c canvas) draw(paint image.Image, shapes []shape) {
	canvas := image.Rectangle{Max: c.img.Rect.Size()}
	for _, s := range shapes {
		box := s.bounds(c.unit()).Intersect(canvas)
		pen := vector.NewRasterizer(box.Dx(), box.Dy())
		for i := 0; i < len(s); i += 2 {
			x, y := float32(s[i]*c.unit())-float32(box.Min.X), float32(s[i+1]*c.unit())-float32(box.Min.Y)
			if i == 0 {
				pen.MoveTo(x, y)
			}
			pen.LineTo(x, y)
		}
		pen.ClosePath()
		pen.Draw(c.img, box.Add(c.img.Rect.Min), paint, box.Min)
	}
}

// text writes a line whose baseline is at y. Sizes are in units, too.
func (c canvas) text(line string, x, y, size float64, anchor float64, ink color.RGBA) {
	face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: size * c.unit(), DPI: 72})
	if err != nil {
		panic(fmt.Errorf("size the demo's typeface: %w", err))
	}
	pen := font.Drawer{Dst: c.img, Src: image.NewUniform(ink), Face: face}
	width := float64(pen.MeasureString(line)) / 64
	origin := c.img.Rect.Min
	pen.Dot = fixed.P(origin.X+int(x*c.unit()-anchor*width), origin.Y+int(y*c.unit()))
	pen.DrawString(line)
}

// What of a line is at x: its start, its middle or its end.
const (
	start  = 0
	middle = 0.5
	end    = 1
)

// typeface comes with the program; it cannot be missing or damaged.
var typeface = sync.OnceValue(func() *opentype.Font {
	face, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(fmt.Errorf("parse the demo's typeface: %w", err))
	}
	return face
})

// shape is a polygon in units: x, y, x, y and so on.
type shape []float64

// bounds is the shape's frame in whole pixels.
func (s shape) bounds(unit float64) image.Rectangle {
	var r image.Rectangle
	for i := 0; i < len(s); i += 2 {
		x, y := int(math.Floor(s[i]*unit)), int(math.Floor(s[i+1]*unit))
		r = r.Union(image.Rect(x, y, x+1, y+1))
	}
	return r
}

func polygon(xy ...float64) shape { return xy }

func rectangle(x, y, width, height float64) shape {
	return shape{x, y, x + width, y, x + width, y + height, x, y + height}
}

func circle(x, y, r float64) shape { return ellipse(x, y, r, r) }

// ellipse is a polygon of so many sides that nobody sees them.
func ellipse(x, y, rx, ry float64) shape {
	var s shape
	for i := range 96 {
		dx, dy := onCircle(0, 0, 1, float64(i)/96)
		s = append(s, x+rx*dx, y+ry*dy)
	}
	return s
}

func star(x, y, r float64, points int) shape {
	var s shape
	for i := range points {
		outer, inner := float64(i)/float64(points), (float64(i)+0.5)/float64(points)
		ox, oy := onCircle(x, y, r, outer)
		ix, iy := onCircle(x, y, r*0.45, inner)
		s = append(s, ox, oy, ix, iy)
	}
	return s
}

// onCircle is the point after a part of a full turn, clockwise from the top.
func onCircle(x, y, r, turn float64) (px, py float64) {
	sin, cos := math.Sincos(2 * math.Pi * turn)
	return x + r*sin, y - r*cos
}

// gradient is a paint that changes colour on its way down.
type gradient struct {
	top, bottom color.RGBA
	height      int
}

func (g gradient) ColorModel() color.Model { return color.RGBAModel }
func (g gradient) Bounds() image.Rectangle { return image.Rect(-1e9, -1e9, 1e9, 1e9) }
func (g gradient) At(_, y int) color.Color { return mix(g.top, g.bottom, float64(y)/float64(g.height)) }

var (
	white = rgb(0xffffff)
	black = rgb(0x000000)
)

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// mix goes from a (part 0) to b (part 1).
func mix(a, b color.RGBA, part float64) color.RGBA {
	between := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part + 0.5) }
	return color.RGBA{R: between(a.R, b.R), G: between(a.G, b.G), B: between(a.B, b.B), A: between(a.A, b.A)}
}
