package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"turns/export/formats"
	"turns/model"
	"turns/model/format"
	"turns/model/jsonspan"
	"turns/model/modeltest"
	"turns/query/human"
	"turns/query/lang"
	"turns/ui"
	"turns/ui/mcp"
)

// TestReadmeCountsFormats: the README names the number of formats, rounded down to ten.
func TestReadmeCountsFormats(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := len(format.All()) - 3 // without generic, inferred and records
	if want := fmt.Sprintf("[more than %d formats]", (named-1)/10*10); !strings.Contains(string(text), want) {
		t.Errorf("the README does not say %q", want)
	}
}

// TestReadmeTablesAreTrue compares the generated tables of the help pages and of KEYS.md with the
// program. go test ./ui/cli -run Readme -update writes them again.
func TestReadmeTablesAreTrue(t *testing.T) {
	for path, tables := range map[string]map[string]string{
		"help/formats.md":       {"formats": formatTable()},
		"help/export.md":        {"exports": exportTable()},
		"help/filters.md":       {"filter keys": filterTable()},
		"help/limits.md":        {"limits": limitTable()},
		"help/mcp.md":           {"mcp": mcpTable(t)},
		"../../.github/KEYS.md": {"keys": keyTable()},
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for name, table := range tables {
			begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
			from := strings.Index(text, begin)
			to := strings.Index(text, end)
			if from < 0 || to < from {
				t.Fatalf("%s has no place for %s", path, name)
			}
			from += len(begin)
			if text[from:to] == table {
				continue
			}
			if !modeltest.Update() {
				t.Errorf("the table of %s is not what the program has; -update rewrites it", name)
			}
			text = text[:from] + table + text[to:]
		}
		if modeltest.Update() {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// cell escapes text for a table cell: a bar would end it.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + cell(s) + " ``"
	}
	return "`" + cell(s) + "`"
}

func formatTable() string {
	var b strings.Builder
	b.WriteString("| format | name | usual place |\n|---|---|---|\n")
	for _, f := range format.All() {
		where := ""
		if len(f.Where) > 0 {
			where = code(f.Where[0])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(f.Name), cell(f.Title), where)
	}
	return b.String()
}

func keyTable() string {
	var b strings.Builder
	group := ""
	for _, row := range ui.Keys(nil) {
		if row.Group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = row.Group
			fmt.Fprintf(&b, "**%s**\n\n| keys | do | habit of |\n|---|---|---|\n", group)
		}
		var keys []string
		for k := range strings.FieldsSeq(row.Keys) {
			keys = append(keys, code(k))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(keys, " "), cell(row.Help), cell(row.Habit))
	}
	return b.String()
}

// mcpTable lists the tools of the MCP server.
func mcpTable(t *testing.T) string {
	t.Helper()
	s, err := mcp.New(mcp.Options{Run: newApp(IO{}).within(true)})
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| tool | answer |\n|---|---|\n")
	for _, tool := range list.Tools {
		fmt.Fprintf(&b, "| %s | %s |\n", code(tool.Name), cell(tool.Description))
	}
	return b.String()
}

func exportTable() string {
	var b strings.Builder
	b.WriteString("| format | contents |\n|---|---|\n")
	for _, f := range formats.All() {
		fmt.Fprintf(&b, "| %s | %s |\n", code(f.Name), cell(f.Help))
	}
	return b.String()
}

func filterTable() string {
	var b strings.Builder
	b.WriteString("| key | finds | example |\n|---|---|---|\n")
	for _, k := range lang.Keys() {
		if k.Name == "" {
			continue
		}
		example := ""
		if len(k.Examples) > 0 {
			example = code(k.Examples[0])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(k.Name+":"), cell(k.Help), example)
	}
	return b.String()
}

func limitTable() string {
	l := model.DefaultLimits()
	var b strings.Builder
	b.WriteString("| `--max` | limits | default |\n|---|---|---|\n")
	for _, limit := range l.Table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", limit.Name, limit.What, limit)
	}
	fmt.Fprintf(&b, "| | levels of JSON; deeper is unreadable | %s |\n", human.Count(jsonspan.MaxDepth))
	return b.String()
}
