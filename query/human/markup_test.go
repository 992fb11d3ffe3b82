package human

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+1": "+1", "-5": "-5", "-5.2 %": "-5.2 %", "+49 30 123": "+49 30 123", "-1e5": "-1e5", "- 5": "- 5",
		"- an item": "- an item", "- [x](y)": "- [x](y)", "- **bold**": "- **bold**", "- it's (so)": "- it's (so)", "---": "---", "--": "--", "-": "-", "- a\n- b\n": "- a\n- b\n", "+ an item": "+ an item",
		"-x": "'-x", "--flag": "'--flag", "-rf /": "'-rf /", "-1+cmd|' /C calc'!A0": "'-1+cmd|' /C calc'!A0", "- cmd|' /C calc'!A0": "'- cmd|' /C calc'!A0", "+HYPERLINK(\"http://x\")": "'+HYPERLINK(\"http://x\")",
		"- HYPERLINK (1)": "'- HYPERLINK (1)", "- A1+B1": "'- A1+B1", "- -1+A1": "'- -1+A1",
		"x;=cmd|' /C calc'!A0": "x;'=cmd|' /C calc'!A0", "x\t=1": "x\t'=1", "x\n=1": "x\n'=1", "x\r=1": "x\r'=1", "\"=1": "\"'=1", "\t=1": "\t'=1", " =1": "' =1", "x;  =1": "x;'  =1", "＝1": "'＝1", "\u00a0=1": "'\u00a0=1",
		"a = b": "a = b", "x, =1": "x, =1",
	} {
		if got := CSVCell(in); got != want {
			t.Errorf("CSVCell(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzCSV: every CSV reader gets the same cell; programs with another separator get no cell that
// they would execute.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a", "x;=cmd", "x\t=cmd", "a,b", "\"=1", "a\r\nb", " a", `\.`, "=1;=2\n=3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cell := CSVCell(s)
		row := string(AppendCSV(nil, "1", cell, "z"))
		rows, err := csv.NewReader(strings.NewReader(row)).ReadAll()
		if want := strings.ReplaceAll(cell, "\r\n", "\n"); err != nil || len(rows) != 1 || len(rows[0]) != 3 || rows[0][1] != want {
			t.Fatalf("%q is read as %q, %v, of %q", cell, rows, err, row)
		}
		for _, part := range strings.FieldsFunc(strings.TrimSuffix(row, "\n"), func(r rune) bool { return strings.ContainsRune(";\t\r\n\"", r) }) {
			if part = strings.TrimLeft(part, " "); part != "" && strings.ContainsAny(part[:1], "=@") {
				t.Errorf("%q is run in %q", part, row)
			}
		}
	})
}

func TestMarkdownLine(t *testing.T) {
	for in, want := range map[string]string{
		"mcp__a_b": "mcp__a_b", "<b>": `&lt;b>`, "a|b": `a\|b`, "![x](y)": `\!\[x](y)`, "_a_": `\_a\_`, "`a`": "\\`a\\`", "&lt;": "&amp;lt;", "a && b": "a && b", "a &": "a &", "&A;": "&amp;A;",
		"&Z": "&amp;Z", "&a": "&amp;a", "&z": "&amp;z", "&#1": "&amp;#1", "&0": "&0", "&@": "&@", "&{": "&{", "&`": "&\\`", "&[": `&\[`, "a_0": "a_0", "9_z": "9_z",
		"Z_A": "Z_A", "é_é": "é_é", "a_": `a\_`, "_a": `\_a`, "a_-": `a\_-`, "a__b": "a__b", `\<b`: `\\&lt;b`,
	} {
		if got := MarkdownLine(in); got != want {
			t.Errorf("MarkdownLine(%q) = %q, want %q", in, got, want)
		}
	}
}
