package reference

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCategoriesOfTheMarketplace(t *testing.T) {
	tree := Load().Categories

	t.Run("there are some hundreds on three to four levels", func(t *testing.T) {
		if n := len(tree.Rows); n < 400 || n > 600 {
			t.Errorf("%d categories", n)
		}
		levels := map[int]int{}
		for _, row := range tree.Rows {
			levels[row.Level]++
		}
		if len(levels) != 4 || levels[3] < 100 {
			t.Errorf("categories by level: %v", levels)
		}
	})

	t.Run("the roots are the eight that clients know by number", func(t *testing.T) {
		type root struct {
			ID   int64
			Name string
		}
		want := []root{
			{-1, "Stamps"},
			{-2, "Postcards"},
			{-3, "Coins and banknotes"},
			{-4, "Books"},
			{-5, "Other collections"},
			{-6, "Phonecards"},
			{-7, "Badges"},
			{-8, "Old paper"},
		}
		var got []root
		for row := range tree.roots() {
			got = append(got, root{row.ID, row.Names[0]})
			if row.Selectable || row.ParentID != 0 || !tree.HasChildren(row) {
				t.Errorf("root %d: selectable %t, parent %d, children %t", row.ID, row.Selectable, row.ParentID, tree.HasChildren(row))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("every category hangs on an existing parent of its own root's block of ids", func(t *testing.T) {
		for _, row := range tree.Rows {
			path := tree.Path(row.ID)
			if last := path[len(path)-1]; last.ID != row.ID || len(path) != row.Level+1 || path[0].ID > 0 {
				t.Errorf("the path of %d ends at %d after %d steps from %d", row.ID, last.ID, len(path), path[0].ID)
			}
			for above, below := range pairs(path) {
				if below.ParentID != above.ID || below.Level != above.Level+1 {
					t.Errorf("%d on level %d is not a child of %d on level %d", below.ID, below.Level, above.ID, above.Level)
				}
			}
			if row.Level > 0 && row.ID/1_000_000 != -path[0].ID {
				t.Errorf("%d is below %d", row.ID, path[0].ID)
			}
		}
	})

	t.Run("names are whole in every language and differ among siblings", func(t *testing.T) {
		check := func(siblings iter.Seq[*Category]) {
			for language, code := range Languages {
				taken := map[string]int64{}
				for row := range siblings {
					name := row.Names[language]
					if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, "\t\n") || strings.Contains(name, "  ") {
						t.Errorf("category %d is called %q in %s", row.ID, name, code)
					}
					if other, ok := taken[strings.ToLower(name)]; ok {
						t.Errorf("categories %d and %d are both called %q in %s", other, row.ID, name, code)
					}
					taken[strings.ToLower(name)] = row.ID
				}
			}
		}
		check(tree.roots())
		for _, row := range tree.Rows {
			check(tree.children(row.ID))
		}
	})

	t.Run("what has no children can be chosen, what has some mostly not", func(t *testing.T) {
		groups, selectableGroups := 0, 0
		for i := range tree.Rows {
			row := &tree.Rows[i]
			if !tree.HasChildren(row) {
				if !row.Selectable {
					t.Errorf("leaf %d is not selectable", row.ID)
				}
				continue
			}
			groups++
			if row.Selectable {
				selectableGroups++
			}
		}
		if selectableGroups == 0 || selectableGroups > groups/10 {
			t.Errorf("%d of %d categories with children are selectable", selectableGroups, groups)
		}
	})

	t.Run("the subtrees of the roots are the whole tree in its order", func(t *testing.T) {
		var ids, walked []int64
		var walk func(siblings iter.Seq[*Category])
		walk = func(siblings iter.Seq[*Category]) {
			for row := range siblings {
				walked = append(walked, row.ID)
				walk(tree.children(row.ID))
			}
		}
		walk(tree.roots())
		for row := range tree.roots() {
			ids = append(ids, tree.Descendants(row.ID)...)
		}
		if diff := cmp.Diff(walked, ids); diff != "" {
			t.Error(diff)
		}
		if len(ids) != len(tree.Rows) {
			t.Errorf("%d of %d categories are below a root", len(ids), len(tree.Rows))
		}
	})

	t.Run("collectors find their field in their language however they type", func(t *testing.T) {
		for _, try := range []struct {
			language, query string
			want            int64
		}{
			{"en", "stamps", -1},
			{"fr", "TELECARTES", -6},
			{"fr", "te\u0301le\u0301cartes", -6},
			{"de", "strassenschilder", 5010200},
			{"de", "osterreich", 1010800},
			{"it", "cartoline", -2},
			{"es", "  otras   colecciones ", -5},
			{"nl", "oude documenten", -8},
			{"fr", "voeux", 2061100},
		} {
			language, ok := Language(try.language)
			if !ok {
				t.Fatalf("no language %s", try.language)
			}
			if !slices.Contains(idsOf(tree.search(language, try.query)), try.want) {
				t.Errorf("%q in %s does not find %d", try.query, try.language, try.want)
			}
		}
	})
}

// smallTree has three levels below its first root and nothing below the others.
func smallTree(t *testing.T) *Tree {
	t.Helper()
	rows := []string{
		"-1||0|Stamps", "10|-1|0|Europe", "11|10|1|France", "12|10|1|Österreich", "20|-1|1|Espaces",
		"-2||0|Postcards", "200|-2|1|Paris",
	}
	for _, root := range []string{"-3|Coins", "-4|Books", "-5|Others", "-6|Phonecards", "-7|Badges", "-8|Paper"} {
		id, name, _ := strings.Cut(root, "|")
		rows = append(rows, id+"||0|"+name, strings.TrimPrefix(id, "-")+"00|"+id+"|1|All")
	}
	text := categoryText(rows...)
	if _, err := parseCategories("small.tsv", text); err != nil {
		t.Fatal(err)
	}
	return readCategories(rowsOf(text))
}

func TestCategoryTree(t *testing.T) {
	tree := smallTree(t)

	t.Run("a category is found by its id", func(t *testing.T) {
		row, ok := tree.Lookup(12)
		if !ok || row.Names[2] != "Österreich" || row.ParentID != 10 || row.Level != 2 || !row.Selectable {
			t.Errorf("12 is %+v, %t", row, ok)
		}
	})

	t.Run("an unknown id has nothing", func(t *testing.T) {
		if _, ok := tree.Lookup(13); ok {
			t.Error("13 is known")
		}
		if got := len(tree.Path(13)) + len(tree.Descendants(13)) + len(tree.subtree(13)) + len(idsOf(tree.children(13))); got != 0 {
			t.Errorf("13 has %d relatives", got)
		}
	})

	for _, want := range []struct {
		id                            int64
		children, descendants, parent []int64
	}{
		{-1, []int64{10, 20}, []int64{-1, 10, 11, 12, 20}, []int64{-1}},
		{10, []int64{11, 12}, []int64{10, 11, 12}, []int64{-1, 10}},
		{12, nil, []int64{12}, []int64{-1, 10, 12}},
		{20, nil, []int64{20}, []int64{-1, 20}},
		{-8, []int64{800}, []int64{-8, 800}, []int64{-8}},
	} {
		row, _ := tree.Lookup(want.id)
		t.Run("children, descendants and path agree around "+row.Names[0], func(t *testing.T) {
			if diff := cmp.Diff(want.children, idsOf(tree.children(want.id))); diff != "" {
				t.Errorf("children: %s", diff)
			}
			if diff := cmp.Diff(want.descendants, tree.Descendants(want.id)); diff != "" {
				t.Errorf("descendants: %s", diff)
			}
			if diff := cmp.Diff(want.parent, idsOf(slices.Values(tree.Path(want.id)))); diff != "" {
				t.Errorf("path: %s", diff)
			}
			var subtree []int64
			for _, row := range tree.subtree(want.id) {
				subtree = append(subtree, row.ID)
			}
			if diff := cmp.Diff(want.descendants, subtree); diff != "" {
				t.Errorf("subtree: %s", diff)
			}
			if tree.HasChildren(row) != (want.children != nil) {
				t.Errorf("hasChildren is %t", tree.HasChildren(row))
			}
		})
	}

	t.Run("search keeps the order of the tree and stops when asked", func(t *testing.T) {
		if diff := cmp.Diff([]int64{20, 200, -8}, idsOf(tree.search(0, "PA"))); diff != "" {
			t.Error(diff)
		}
		for row := range tree.search(0, "pa") {
			if row.ID != 20 {
				t.Errorf("went on to %d", row.ID)
			}
			break
		}
		for row := range tree.roots() {
			if row.ID != -1 {
				t.Errorf("went on to %d", row.ID)
			}
			break
		}
	})

	t.Run("an empty query finds everything", func(t *testing.T) {
		if got := len(idsOf(tree.search(0, " "))); got != len(tree.Rows) {
			t.Errorf("%d of %d", got, len(tree.Rows))
		}
	})

	t.Run("appending to what descendants returns leaves the tree alone", func(t *testing.T) {
		_ = append(tree.Descendants(10), 99)
		_ = append(tree.subtree(10), Category{ID: 99})
		if diff := cmp.Diff([]int64{20}, tree.Descendants(20)); diff != "" || tree.Rows[4].ID != 20 {
			t.Errorf("descendants of 20: %s", diff)
		}
	})
}

func TestFoldName(t *testing.T) {
	for name, want := range map[string]string{
		"Télécartes":             "telecartes",
		"Fêtes et vœux":          "fetes et voeux",
		"Straßenbahn":            "strassenbahn",
		"Fær Øer":                "faer oer",
		"Årsbok på Þjóð":         "arsbok pa thjod",
		"Łódź":                   "lodz",
		" Îles\u00a0 d’Or ":      "iles d'or",
		"1900–1944":              "1900-1944",
		"E\u0301change":          "echange",
		"\ufb01n":                "fin",
		"İstanbul":               "istanbul",
		"Συστημένο":              "συστημενο",
		"":                       "",
		"\u0301":                 "",
		"ÉTÉ\tet\nhiver":         "ete et hiver",
		"Препоръчана пратка":     "препоръчана пратка",
		"Nouvel An (Neujahr) 5%": "nouvel an (neujahr) 5%",
	} {
		if got := Fold(name); got != want {
			t.Errorf("%q becomes %q instead of %q", name, got, want)
		}
	}
}

func TestParseCategoriesNamesTheLineOfWhatIsWrong(t *testing.T) {
	for _, try := range []struct {
		name string
		rows []string
		want string
	}{
		{"an id that is no number", []string{"one||0|Stamps"}, `bad.tsv:2: "one" is not an id`},
		{"an id that is written oddly", []string{"-01||0|Stamps"}, `bad.tsv:2: "-01" is not an id`},
		{"zero as an id", []string{"-1||0|Stamps", "0|-1|1|Zero"}, `bad.tsv:3: "0" is not an id`},
		{"a missing root", []string{"-2||0|Postcards"}, "bad.tsv:2: root -2 stands where -1 belongs"},
		{"a root that can be chosen", []string{"-1||1|Stamps"}, "bad.tsv:2: root -1 is selectable"},
		{"a ninth root", roots("-9"), "bad.tsv:18: 9 roots instead of 8"},
		{"too few roots", []string{"-1||0|Stamps", "10|-1|1|All"}, "bad.tsv:3: 1 roots instead of 8"},
		{"a root's id below a root", []string{"-1||0|Stamps", "-2|-1|1|Postcards"}, "bad.tsv:3: category -2 has a parent and a root's id"},
		{"an id that is taken", []string{"-1||0|Stamps", "10|-1|1|A", "10|-1|1|B"}, "bad.tsv:4: id 10 is taken"},
		{"a parent that is no id", []string{"-1||0|Stamps", "10|x|1|A"}, `bad.tsv:3: parent_id: "x" is not an id`},
		{"an unknown parent", []string{"-1||0|Stamps", "10|9|1|A"}, "bad.tsv:3: parent 9 of category 10 is not above it: rows are in tree order"},
		{"a parent of itself", []string{"-1||0|Stamps", "10|10|1|A"}, "bad.tsv:3: parent 10 of category 10 is not above it: rows are in tree order"},
		{
			"a row apart from its siblings",
			[]string{"-1||0|Stamps", "10|-1|0|A", "11|10|1|B", "20|-1|1|C", "12|10|1|D"},
			"bad.tsv:6: parent 10 of category 12 is not above it: rows are in tree order",
		},
		{"siblings out of order", []string{"-1||0|Stamps", "20|-1|1|A", "10|-1|1|B"}, "bad.tsv:4: id 10 follows its sibling 20: siblings are in the order of their ids"},
		{"a leaf that cannot be chosen", []string{"-1||0|Stamps", "10|-1|0|A"}, ""},
		{"a flag that is neither 0 nor 1", []string{"-1||yes|Stamps"}, `bad.tsv:2: selectable is "yes" instead of 0 or 1`},
		{"siblings of one name", []string{"-1||0|Stamps", "10|-1|1|Été", "20|-1|1|ETE"}, `bad.tsv:4: category 20 has the name "ETE" of its sibling 10 in en`},
		{"a name of nothing", []string{"-1||0|"}, "bad.tsv:2: category -1 has no name in en"},
		{"a name that begins with a space", []string{"-1||0| Stamps"}, `bad.tsv:2: en " Stamps" begins or ends with a space`},
	} {
		t.Run(try.name, func(t *testing.T) {
			rows := try.rows
			if try.want == "" { // needs a tree that is otherwise whole
				rows, try.want = append(roots(), "90|-8|0|A"), "bad.tsv:18: category 90 has no children and is not selectable"
			}
			_, err := parseCategories("bad.tsv", categoryText(rows...))
			if err == nil || err.Error() != try.want {
				t.Errorf("got  %v\nwant %s", err, try.want)
			}
		})
	}
}

// roots are rows of the eight roots and more, each with one child.
func roots(more ...string) []string {
	var rows []string
	for _, id := range append([]string{"-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8"}, more...) {
		rows = append(rows, id+"||0|Root "+id, id[1:]+"|"+id+"|1|All")
	}
	return rows[:len(rows)-len(more)]
}

// categoryText is a category file of rows written id|parent_id|selectable|name, the name being that of all languages.
func categoryText(rows ...string) string {
	text := strings.Join(categoryColumns, "\t") + "\n"
	for _, row := range rows {
		fields := strings.Split(row, "|")
		for range len(Languages) - 1 {
			fields = append(fields, fields[3])
		}
		text += strings.Join(fields, "\t") + "\n"
	}
	return text
}

func idsOf(rows iter.Seq[*Category]) (ids []int64) {
	for row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// pairs goes through the neighbours of a path.
func pairs(path []*Category) iter.Seq2[*Category, *Category] {
	return func(yield func(above, below *Category) bool) {
		for i := 1; i < len(path); i++ {
			if !yield(path[i-1], path[i]) {
				return
			}
		}
	}
}
