package answer

import (
	"fmt"
	"strings"
	"testing"

	"turns/query/human"
)

func TestTableFitsItsPage(t *testing.T) {
	table := NewTable("tool", ">calls", ">p50??", ">share?", "what it was about", "<where")
	for i := range 3 {
		table.Add(strings.Repeat("mcp__github__", i+1)+"read", fmt.Sprint(1_000_000*i), "12.5s", "100 %",
			strings.Repeat("世界 and the rest of the text ", i+1), "/home/ada/.claude/projects/a-long-folder/8463c716.jsonl")
	}
	natural := 0
	for _, w := range table.lined(0).width {
		natural += w + gap
	}
	for columns := 20; columns < natural+20; columns++ {
		page := Page{Columns: columns}
		table.write(&page)
		text := page.String()
		for line := range strings.Lines(text) {
			if w := human.Width(strings.TrimSuffix(line, "\n")); w > columns {
				t.Fatalf("of %d columns a line has %d: %q", columns, w, line)
			}
		}
		if n := strings.Count(text, "\n"); n != 4 {
			t.Fatalf("of %d columns there are %d lines:\n%s", columns, n, text)
		}
		if columns >= 60 && (!strings.Contains(text, "2000000") || !strings.Contains(text, "16.jsonl") || !strings.Contains(text, "世界 and")) {
			t.Errorf("of %d columns too little is left:\n%s", columns, text)
		}
		if strings.Contains(text, "p50") && !strings.Contains(text, "share") {
			t.Errorf("of %d columns the wrong one is left out:\n%s", columns, text)
		}
		if columns >= natural && strings.Contains(text, "…") {
			t.Errorf("of %d columns, where all fits, something is cut:\n%s", columns, text)
		}
	}
	var page Page
	table.write(&page)
	if strings.Contains(page.String(), "…") {
		t.Errorf("where lines are as long as they are, something is cut:\n%s", page.String())
	}
}

func TestPageBreaksLines(t *testing.T) {
	page := Page{Columns: 20}
	page.WriteString("short\n  a line of more words than fit\n" + strings.Repeat("x", 30) + "\n")
	want := "short\n  a line of more\n  words than fit\n" + strings.Repeat("x", 20) + "\n" + strings.Repeat("x", 10) + "\n"
	if got := page.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLeastTexts: a table drops columns while a text has fewer than 28 cells. If no column can be
// dropped, texts have at least 8 cells and their lines are cut.
func TestLeastTexts(t *testing.T) {
	words := strings.Repeat("text ", 12)
	for columns, want := range map[int]string{
		28 + gap + 5: strings.Repeat("text ", 5) + "te…  12345",
		27 + gap + 5: strings.Repeat("text ", 6) + "tex…",
	} {
		table := NewTable("", ">?")
		table.Columns[0].Room = 60
		table.Add(words, "12345")
		page := Page{Columns: columns}
		table.write(&page)
		if got := strings.TrimSuffix(page.String(), "\n"); got != want {
			t.Errorf("of %d columns: %q, want %q", columns, got, want)
		}
	}
	table := NewTable("", ">")
	table.Columns[0].Room = 60
	table.Add(words, "12345")
	for columns, want := range map[int]string{8 + gap + 5: "text te…  12345", 7 + gap + 5: "text te…  123…"} {
		page := Page{Columns: columns}
		table.write(&page)
		if got := strings.TrimSuffix(page.String(), "\n"); got != want {
			t.Errorf("of %d columns: %q, want %q", columns, got, want)
		}
	}
}
