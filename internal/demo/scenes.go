package demo

import (
	"image/color"
)

// This file has the motifs.

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
