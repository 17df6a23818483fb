package conformance

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// This file holds the promises that the program is built with. Releases are in an archive, which has a thirteenth of their
// size. Of all releases only the newest is a folder too, so that changes can be compared with it.

// ArchiveFile is the archive of all releases, in this folder. The command in conformance/release adds to it.
const ArchiveFile = "released.zip"

//go:embed released.zip
var archive []byte

//go:embed next
var next embed.FS

// Load reads the transcripts that the program was built with.
func Load() (*Suite, error) {
	released, err := Released()
	if err != nil {
		return nil, err
	}
	return LoadFrom(released, next)
}

// Released are the files of all releases, each in released/VERSION.
func Released() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}

// Archive is an archive with the folder of one more release. What was in the archive is copied without being unpacked. The
// same files give the same archive: they have no times, and a release's files are in the order of their names.
func Archive(before *zip.Reader, files fs.FS, version string) ([]byte, error) {
	var out bytes.Buffer
	after := zip.NewWriter(&out)
	after.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestCompression) })
	folder := path.Join("released", version)
	if _, err := fs.Stat(before, folder); err == nil {
		return nil, fmt.Errorf("the archive has %s already", version)
	}
	for _, file := range before.File {
		if err := after.Copy(file); err != nil {
			return nil, err
		}
	}
	err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		file, err := after.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = file.Write(text)
		return err
	})
	if err == nil {
		err = after.Close() // writes the directory
	}
	return out.Bytes(), err
}
