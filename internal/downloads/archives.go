// Package downloads is a release as sellers and operators get it: its archives, the folder that make dist writes, and how a server shows
// and serves that folder.
//
//   - archives.go is the table of the archives; the command dist in the folder below makes them.
//   - folder.go opens a folder and checks its sums; serve.go sends its files.
//   - page.go is the page of a folder, and the commands by which sellers get the program.
package downloads

// Archive is the archive of one program for one kind of machine.
type Archive struct {
	Program  string // of the folder cmd
	OS, Arch string // as Go calls them
	Machine  string // for readers
}

// ForSellers and ForOperators are the programs of a release.
const (
	ForSellers   = "seller"
	ForOperators = "sellerd"
)

// Archives are all that a release may have, in the order in which they are shown.
var Archives = []Archive{
	{ForSellers, "windows", "amd64", "Windows"},
	{ForSellers, "windows", "arm64", "Windows on ARM"},
	{ForSellers, "darwin", "arm64", "Mac with Apple's own processor (M1 and later)"},
	{ForSellers, "darwin", "amd64", "Mac with an Intel processor"},
	{ForSellers, "linux", "amd64", "Linux on an ordinary PC or server"},
	{ForSellers, "linux", "arm64", "Linux on ARM, such as a Raspberry Pi with a 64-bit system"},
	{ForOperators, "linux", "amd64", "Linux on an ordinary server"},
	{ForOperators, "linux", "arm64", "Linux on ARM"},
}

// Stem is the name of the archive without its ending. It has no version, so that the address of a file stays from release to release.
func (a Archive) Stem() string { return a.Program + "-" + a.OS + "-" + a.Arch }

// Name is the name of the archive's file.
func (a Archive) Name() string {
	if a.OS == "windows" {
		return a.Stem() + ".zip"
	}
	return a.Stem() + ".tar.gz"
}

// Modules is the name of the file that lists the modules of the program, in CycloneDX.
func (a Archive) Modules() string { return a.Stem() + ".cdx.json" }

// Executable is the name of the program in the archive.
func (a Archive) Executable() string {
	if a.OS == "windows" {
		return a.Program + ".exe"
	}
	return a.Program
}

// SumsFile is the file with the sums of all others, as sha256sum writes it.
const SumsFile = "SHA256SUMS"
