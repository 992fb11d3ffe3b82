package amend

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

func lookAt(doc string) *Seen {
	return Look(&model.Sample{Shape: model.Document, Doc: []byte(doc)})
}

// fields returns an object with n fields that no format knows, each with the value.
func fields(n int, value string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"zub%d":%s`, i, value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestLimitsOfLook: Look reads a limited number of records, names, levels and bytes of a sample.
func TestLimitsOfLook(t *testing.T) {
	lines := &model.Sample{Shape: model.Lines}
	for i := range 20 {
		lines.Records = append(lines.Records, fmt.Appendf(nil, `{"zub%d":1}`, i))
	}
	if got := len(Look(lines).names); got != 12 {
		t.Errorf("the names of %d records", got)
	}
	if got := len(lookAt(fields(600, "1")).names); got != 512 {
		t.Errorf("%d names", got)
	}
	deep := "1"
	for i := range 20 {
		deep = fmt.Sprintf(`{"zub%d":%s}`, i, deep)
	}
	if got := len(lookAt(deep).names); got != 13 {
		t.Errorf("%d levels", got)
	}
	for more, want := range map[int]int{0: 2, 1: 1} {
		first := `{"a":"` + strings.Repeat("x", 1<<20-15+more) + `"}`
		if got := len(Look(&model.Sample{Shape: model.Lines, Records: [][]byte{[]byte(first), []byte(`{"b":1}`)}}).names); got != want {
			t.Errorf("%d bytes over the limit: %d names, want %d", len(first)+7-1<<20, got, want)
		}
	}
}

// TestLimitsOfInner: the number of fields whose values are one level deeper, the length of the key
// above such a value, and the depth of corrected values are limited.
func TestLimitsOfInner(t *testing.T) {
	if got := lookAt(fields(9, `{"abcdefghijklmnop":"x"}`)).inner(); len(got) != 6 {
		t.Errorf("%d fields", len(got))
	}
	if !wraps(strings.Repeat("x", 16)) || wraps(strings.Repeat("x", 17)) {
		t.Error("the key of a wrapper has 16 letters at most")
	}
	change := &Change{Inner: map[string]string{"content": "value"}}
	for depth, want := range map[int]bool{15: true, 16: true, 17: false} {
		in := strings.Repeat(`[`, depth) + `{"content":{"value":1}}` + strings.Repeat(`]`, depth)
		if got := string(change.Apply([]byte(in))) != in; got != want {
			t.Errorf("at depth %d corrected: %v", depth, got)
		}
	}
}

// TestLimitsOfRenames: Renames tries a limited number of fields under a limited number of names.
func TestLimitsOfRenames(t *testing.T) {
	tries := func(doc string) (n int, names map[string]bool) {
		names = map[string]bool{}
		for change := range lookAt(doc).Renames(true) {
			for name := range change.Names.known {
				names[name] = true
			}
			n++
		}
		return n, names
	}
	if n, names := tries(fields(20, `"two words"`)); n != 40 || len(names) != 8 {
		t.Errorf("%d tries of %d names", n, len(names))
	}
	others := fmt.Sprintf(`{%s}`, strings.Join([]string{`"speaker":"user"`, `"author":"user"`, `"sender":"user"`, `"body":"two words"`, `"prompt":"two words"`,
		`"message":"two words"`, `"response":"two words"`, `"output":"two words"`, `"input":"two words"`, `"answer":"two words"`, `"question":"two words"`}, ","))
	if n, _ := tries(others); n != 10 {
		t.Errorf("%d tries of names that other formats know", n)
	}
	for size, want := range map[int]int{32 << 10: 4, 32<<10 + 1: 3} {
		doc := strings.TrimSuffix(fields(3, `"two words"`), "}") + `,"n":"`
		if n, _ := tries(doc + strings.Repeat("x", size-len(doc)-2) + `"}`); n != want {
			t.Errorf("%d tries of %d bytes, want %d", n, size, want)
		}
	}
}

// TestUsualNames: the value of a field decides which usual names it may have. A field that some
// format reads as another part must have more in common with a usual one.
func TestUsualNames(t *testing.T) {
	for _, c := range []struct{ field, value, want string }{
		{"zub", `"two words"`, "content text output result message value data prompt response observation thought action"},
		{"zub", `"91de955f-bd32-4115-a29b-6b868ff945f4"`, "tool_call_id toolCallId"},
		{"zub", `[{"a":1}]`, "content tool_calls messages output result parts value attributes data prompt response turns conversation conversations history"},
		{"zub", `{"a":1}`, "content function arguments args input output result message value attributes data prompt response"},
		{"body", `"two words"`, "content text output result message value data prompt response observation thought action"},
		{"body", `"user"`, "role type name kind tool_call_id toolCallId method source timestamp"},
		{"body", `"cat"`, "type name kind tool_call_id toolCallId method source timestamp"},
		{"body", `""`, "type name kind tool_call_id toolCallId method source timestamp"},
		{"body", `{"a":1}`, "function arguments args input attributes"},
	} {
		var names []string
		for i, u := range usual() {
			// next to all other usual names
			var fields strings.Builder
			for j, other := range usual() {
				if j != i {
					fmt.Fprintf(&fields, `,%q:null`, other.name)
				}
			}
			for change := range lookAt(fmt.Sprintf(`{%q:%s%s}`, c.field, c.value, &fields)).Renames(true) {
				if to, ok := change.Names.of([]byte(c.field)); ok && string(to) == u.name {
					names = append(names, u.name)
				}
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s with %s may be %s, want %s", c.field, c.value, got, c.want)
		}
	}
}
