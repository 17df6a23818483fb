package bridge

import "io/fs"

// PrivateByMode says whether the modes of files tell here who else may read them. On Windows they do not: access lists do,
// which the seller sets (docs/rest/bridge-windows.md).
const PrivateByMode = false

func checkPrivate(string, fs.FileInfo) error { return nil }
