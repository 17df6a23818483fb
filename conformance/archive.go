package conformance

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"embed"
	"io"
	"io/fs"
	"path"
)

// This file holds the transcripts that the program is built with. Those of releases are compressed to a thirtieth, which keeps
// six megabytes out of the program. They are sealed, so the archive changes only with a release.

// ArchiveFile is the archive of the folder released, in this folder. The command in conformance/release writes it.
const ArchiveFile = "released.zip"

//go:embed released.zip
var released []byte

//go:embed next
var next embed.FS

// Load reads the transcripts that the program was built with.
func Load() (*Suite, error) {
	archive, err := zip.NewReader(bytes.NewReader(released), int64(len(released)))
	if err != nil {
		return nil, err
	}
	return LoadFrom(archive, next)
}

// Archive compresses those files of the folder released that LoadFrom reads.
func Archive(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	archive.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestCompression) })
	err := fs.WalkDir(files, "released", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isRead(name) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = file.Write(text)
		return err
	})
	if err == nil {
		err = archive.Close() // writes the directory
	}
	return out.Bytes(), err
}

// isRead says whether LoadFrom reads a file.
func isRead(name string) bool { return path.Ext(name) == ".txt" || path.Base(name) == CorrectionsFile }
