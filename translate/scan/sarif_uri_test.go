package scan

import "testing"

func TestFilesAreNamedByReferences(t *testing.T) {
	for name, want := range map[string]string{
		"shop/a b.php":      "shop/a%20b.php",
		"shop/ä#1?.php":     "shop/%C3%A4%231%3F.php",
		"a:b.php":           "./a:b.php",
		"/srv/shop/50%.php": "file:///srv/shop/50%25.php",
		`C:\shop\a b.php`:   "file:///C:/shop/a%20b.php",
		"C:/shop/a.php":     "file:///C:/shop/a.php",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
