package screen

import (
	"cmp"
	"slices"
	"testing"

	"turns/query/answer"
	"turns/ui/paint"
)

// TestDescribe draws rows by the columns of an answer: kinds, tones, sort orders, and cells with a
// shorter form.
func TestDescribe(t *testing.T) {
	rows := []int{30, 10, 20}
	columns := []answer.Column[int]{
		{Name: "name", Head: "name", Kind: answer.Ends, Width: 6, Cell: func(n int) answer.Cell {
			return answer.Cell{Text: "tool", More: " of many", Tone: answer.Tool, Short: func(room int) string { return "short"[:min(room, 5)] }}
		}},
		answer.Counts(answer.Column[int]{Name: "calls", Head: "calls", Width: 5, Gap: 1, Drop: 3}, answer.Bad, func(n int) int { return n }),
		{Name: "path", Head: "path", Kind: answer.Path, Width: 8, Asc: true, Cell: func(int) answer.Cell { return answer.Unknown }, Order: cmp.Compare[int]},
	}
	table := Table{SortBy: -1}
	Describe(&table, columns, func(i int) int { return rows[i] })
	for i, want := range []Column{
		{Head: "name", Width: 6, Ends: true}, // without a name, so not sortable
		{Name: "calls", Head: "calls", Width: 5, Gap: 1, Drop: 3, Right: true},
		{Name: "path", Head: "path", Width: 8, Asc: true, Paths: true},
	} {
		if table.Cols[i] != want {
			t.Errorf("column %d is %+v, want %+v", i, table.Cols[i], want)
		}
	}
	if table.Column("calls") != 1 || table.Column("name") != 0 || table.Column("none") != -1 {
		t.Error("columns are not found by their names")
	}
	table.Reset(len(rows))
	table.SortOn(1)
	if table.At(0) != 0 || table.At(1) != 2 || table.At(2) != 1 {
		t.Errorf("sorted by calls: %d %d %d", table.At(0), table.At(1), table.At(2))
	}
	table.LayOut(60)
	cells := make([]Cell, len(columns))
	table.Cells(0, cells)
	for i, want := range []Cell{{Text: "short", Ink: paint.InkTool}, {Text: "30", Ink: paint.InkError}, {Text: "–", Ink: paint.InkDim}} {
		if cells[i].Text != want.Text || cells[i].Ink != want.Ink {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want)
		}
	}
	table.Cols[0].Width, table.Laid = 20, 0
	table.LayOut(60)
	if table.Cells(0, cells); cells[0].Text != "tool of many" {
		t.Errorf("with room the first cell is %q", cells[0].Text)
	}
	table.Hide(true, "path")
	if table.LayOut(60); table.WidthOf(2) != 0 || table.WidthOf(1) != 5 {
		t.Error("a hidden column is shown, or another one is not")
	}
}

// TestDescribeDraws bars in the width of their column and pieces of a cell in their colours.
func TestDescribeDraws(t *testing.T) {
	columns := []answer.Column[int]{
		{Kind: answer.Bar, Width: 4, Cell: func(int) answer.Cell { return answer.Cell{Part: 0.5} }},
		{Kind: answer.Number, Width: 8, Cell: func(int) answer.Cell { return answer.Delta(12, 3) }},
	}
	table := Table{SortBy: -1}
	Describe(&table, columns, func(int) int { return 0 })
	table.Reset(1)
	table.LayOut(60)
	cells := make([]Cell, len(columns))
	table.Cells(0, cells)
	if cells[0].Text != "██" || cells[0].Ink != paint.InkBar {
		t.Errorf("half a bar of 4 cells is %+v", cells[0])
	}
	want := []paint.Span{{Text: "  "}, {Text: "+12", Ink: paint.InkAdd}, {Text: " "}, {Text: "−3", Ink: paint.InkDel}}
	if !slices.Equal(cells[1].Parts, want) {
		t.Errorf("numbers of lines are %+v, want %+v", cells[1].Parts, want)
	}
	table.Cols[1].Width, table.Laid = 4, 0
	table.LayOut(60)
	if table.Cells(0, cells); cells[1].Parts != nil || cells[1].Text != "+12 −3" {
		t.Errorf("without room for its pieces a cell is %+v", cells[1])
	}
}

// TestPairsAndFacts aligns numbers of two sides at the arrow, and draws facts in their colours.
func TestPairsAndFacts(t *testing.T) {
	table := Table{SortBy: -1}
	Describe(&table, []answer.Column[int]{{Kind: answer.Pair, Width: 11, Cell: func(int) answer.Cell { return answer.Cell{Text: "1 → 12"} }}}, func(int) int { return 0 })
	table.LayOut(60)
	cells := make([]Cell, 1)
	if table.Cells(0, cells); cells[0].Text != "   1 → 12  " {
		t.Errorf("a pair is %q", cells[0].Text)
	}
	facts := Facts(answer.Line{Label: "read", Number: "3", Tone: answer.Bad, Note: "times"}, answer.Line{Number: "2"})
	want := [][]paint.Span{{{Text: "read", Ink: paint.InkDim}, {Text: " 3", Ink: paint.InkError}, {Text: " times", Ink: paint.InkDim}}, {{Text: "2"}}}
	if len(facts) != 2 || !slices.Equal(facts[0], want[0]) || !slices.Equal(facts[1], want[1]) {
		t.Errorf("facts are %+v, want %+v", facts, want)
	}
}
