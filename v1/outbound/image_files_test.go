package outbound

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// This file has the images, and what is none, that servers send in the tests of the fetcher.

// sendBody answers with a content type, a length and a body.
func sendBody(contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

// sendCodedTwice names an encoding in two lines.
func sendCodedTwice(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Content-Encoding", encoding)
		w.Header().Add("Content-Encoding", encoding)
		sendBody("image/png", body)(w, r)
	}
}

// sendCoded answers with a body that is said to have an encoding.
func sendCoded(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if asked := r.Header.Get("Accept-Encoding"); asked != "identity" {
			http.Error(w, "asks for "+asked, http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", encoding)
		sendBody("image/png", body)(w, r)
	}
}

// cutCoded promises more of a gzipped body than it sends.
func cutCoded(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)-4])
		buf.Flush()
		conn.Close()
	}
}

// deflated compresses a body, with or without the header of zlib.
func deflated(tb testing.TB, body []byte, header bool) []byte {
	tb.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&out)
	if !header {
		bare, err := flate.NewWriter(&out, flate.BestSpeed)
		if err != nil {
			tb.Fatal(err)
		}
		w = bare
	}
	if _, err := w.Write(body); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// streamBody answers with a body of unknown length.
func streamBody(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(body)
		w.(http.Flusher).Flush()
	}
}

func sendStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// cutBody promises more bytes than it sends and closes the connection.
func cutBody(body []byte, length int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { breakOff(w, body, length).Close() }
}

// resetBody is cutBody with a connection that is reset.
func resetBody(body []byte, length int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn := breakOff(w, body, length)
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

func breakOff(w http.ResponseWriter, body []byte, length int) net.Conn {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	buf.WriteString("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n")
	buf.Write(body)
	buf.Flush()
	return conn
}

// trickleBody sends a byte now and then, so that no single read waits long.
func trickleBody(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := range body {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
			}
			w.Write(body[i : i+1])
			w.(http.Flusher).Flush()
		}
	}
}

func encodeImage(t testing.TB, format string) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.RGBA{B: 0x80, A: 0xff}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 2)
	}
	var buf bytes.Buffer
	err := map[string]func() error{
		"jpeg": func() error { return jpeg.Encode(&buf, img, nil) },
		"png":  func() error { return png.Encode(&buf, img) },
		"gif":  func() error { return gif.Encode(&buf, img, nil) },
	}[format]()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// padded fills a file up: what follows the end of an image is not looked at, only counted.
func padded(file []byte, size int) []byte {
	return append(bytes.Clone(file), make([]byte, size-len(file))...)
}

func gzipped(tb testing.TB, file []byte) []byte {
	tb.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	w.Write(file)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// jpegWithLongHead has comments of size bytes before the segment with its dimensions.
func jpegWithLongHead(size int) []byte {
	file := []byte{0xff, 0xd8}
	comment := append([]byte{0xff, 0xfe, 0xff, 0xff}, make([]byte, 0xffff-2)...)
	for len(file) < size {
		file = append(file, comment...)
	}
	return file
}

// pngHeader is a PNG that ends after declaring its dimensions.
func pngHeader(width, height int) []byte {
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	file := buf.Bytes()[:33]
	binary.BigEndian.PutUint32(file[16:], uint32(width))
	binary.BigEndian.PutUint32(file[20:], uint32(height))
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

// The Go libraries only read WebP, so these files of one pixel come ready-made.
var (
	webpLossy, _    = base64.StdEncoding.DecodeString("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")
	webpLossless, _ = base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
)

// webpExtended is the head of an extended WebP: its first chunk declares the canvas.
func webpExtended(width, height int) []byte {
	file := []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
	for _, n := range []int{width - 1, height - 1} {
		file = append(file, byte(n), byte(n>>8), byte(n>>16))
	}
	return file
}
