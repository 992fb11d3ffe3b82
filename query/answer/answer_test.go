package answer

import (
	"testing"

	"turns/query/human"
)

type tool struct {
	name  string
	calls int
}

func columns() []Column[tool] {
	return []Column[tool]{
		{Name: "tool", Head: "  tool", Room: 8, Cell: func(t tool) Cell { return Cell{Text: t.name, More: "!"} }, Order: ByText(func(t tool) string { return t.name })},
		{Name: "calls", Head: "calls", Kind: Number, Cell: func(t tool) Cell { return Count(t.calls, Bad) }, Order: By(func(t tool) int { return t.calls })},
		{Name: "time", Head: "time", Kind: Number, Drop: 1, Cell: func(t tool) Cell { return Took(human.Millis(t.calls), t.calls > 0) }},
		{Name: "path", Head: "path", Kind: Path, Cell: func(t tool) Cell { return Cell{Text: "a/" + t.name} }},
	}
}

func TestOf(t *testing.T) {
	rows := []tool{{"Read\x1b[1m", 1200}, {"a tool with a long name", 0}}
	d := Doc{Sections: []Section{{Table: Of(columns(), rows...)}}}
	want := "tool       calls  time  path\n" + "Read␛[1m!  1,200  1.2s  a/Read␛[1m\n" + "a tool…!       ·     –  a/a tool with a long name\n"
	if got := d.String(); got != want {
		t.Errorf("text:\n%q, want\n%q", got, want)
	}
	narrow := Page{Columns: 24}
	d = Doc{Sections: []Section{{Table: Of(columns(), tool{"Read", 3})}}}
	d.Print(&narrow)
	if got, want := narrow.String(), "tool   calls  path\nRead!      3  a/Read\n"; got != want {
		t.Errorf("on 24 columns:\n%s, want\n%s", got, want)
	}
}

func TestPick(t *testing.T) {
	var names string
	for _, c := range Pick(columns(), "path", "none", "calls") {
		names += c.Name + " "
	}
	if names != "path calls " {
		t.Errorf("picked %q", names)
	}
}

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		column int
		a, b   tool
	}{
		{0, tool{name: "bash"}, tool{name: "Read"}},
		{0, tool{name: "Bash"}, tool{name: "read"}},
		{1, tool{calls: 2}, tool{calls: 10}},
	} {
		order := columns()[c.column].Order
		if order(c.a, c.b) >= 0 || order(c.b, c.a) <= 0 || order(c.a, c.a) != 0 {
			t.Errorf("column %d does not order %v before %v", c.column, c.a, c.b)
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		got, want Cell
	}{
		{Count(0, Bad), Cell{Text: "·", Tone: Dim}},
		{Count(1234, Bad), Cell{Text: "1,234", Tone: Bad}},
		{Size(0), Cell{Text: "·", Tone: Dim}},
		{Size(1234), Cell{Text: "1.2k"}},
		{Size(12_345), Cell{Text: "12.3k"}},
		{Tokens(0), Cell{Text: "·", Tone: Dim}},
		{Tokens(12_345), Cell{Text: "12.3k", Long: "12,345"}},
		{At(1234), Cell{Text: "#1234", Tone: Dim}},
		{At(-1), Unknown},
		{Delta(1234, 5), Cell{Text: "+1,234 −5"}},
		{Took(1500, true), Cell{Text: "1.5s"}},
		{Took(1500, false), Unknown},
	} {
		if c.got.Text != c.want.Text || c.got.Long != c.want.Long || c.got.Tone != c.want.Tone {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

// TestOn prints columns of a value that some rows lack.
func TestOn(t *testing.T) {
	type row struct{ n *int }
	one, two := 1, 2
	columns := On([]Column[*int]{
		{Name: "n", Kind: Number, Width: 3, Cell: func(n *int) Cell { return Cell{Text: human.Count(*n)} }, Order: By(func(n *int) int { return *n })},
		{Cell: func(*int) Cell { return Unknown }},
	}, func(r row) *int { return r.n })
	c := &columns[0]
	if c.Name != "n" || c.Kind != Number || c.Width != 3 || columns[1].Order != nil {
		t.Errorf("columns are %+v", columns)
	}
	if c.Cell(row{&two}).Text != "2" || c.Cell(row{}).Text != "" {
		t.Error("cells are not those of the values")
	}
	if c.Order(row{&one}, row{&two}) >= 0 || c.Order(row{&two}, row{}) >= 0 || c.Order(row{}, row{&one}) <= 0 || c.Order(row{}, row{}) != 0 {
		t.Error("rows without a value do not follow the others")
	}
}

func TestOfLines(t *testing.T) {
	calls := CountLine(0, "calls", 1234, "2 errors")
	calls.Parts = []Line{CountLine(2, "denied", 1, ""), CountLine(2, "failure", 1, "")}
	pending := CountLine(2, "pending", 0, "0 %")
	for kind, want := range map[Kind]string{
		Text:   "calls      1,234  2 errors   1 denied, 1 failure\n  pending      ·  0 %\n",
		Number: "calls      1,234  2 errors   1 denied, 1 failure\n  pending      ·                             0 %\n",
	} {
		d := Doc{Sections: []Section{{Table: OfLines(kind, calls, pending)}}}
		if got := d.String(); got != want {
			t.Errorf("%d: %q, want %q", kind, got, want)
		}
	}
	if pending.Tone != Dim || calls.Tone != Plain {
		t.Errorf("tones %d and %d", pending.Tone, calls.Tone)
	}
}

func TestFacts(t *testing.T) {
	lines := Counted(Line{Number: "3", Note: "added"}, Line{Number: "0", Note: "removed"}, Line{Label: "first at", Number: "#1"})
	if got, want := Facts(lines...), "3 added, first at #1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
