package demo

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// This file draws.

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
func typeface() *opentype.Font {
	theTypeface.once.Do(func() {
		face, err := opentype.Parse(gobold.TTF)
		if err != nil {
			panic(fmt.Errorf("parse the demo's typeface: %w", err))
		}
		theTypeface.face = face
	})
	return theTypeface.face
}

var theTypeface struct {
	once sync.Once
	face *opentype.Font
}

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

// ellipse is a polygon with too many sides to see.
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
