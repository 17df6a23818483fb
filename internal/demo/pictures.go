package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// This file makes stamps, coins and postcards.

// stamp is a small upright picture with a perforated edge.
type stamp struct {
	issuer, value string
	ink           uint32 // of frame and letters
	scene         scene
}

var stamps = [...]stamp{
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

var coins = [...]coin{
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

var postcards = [...]postcard{
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
