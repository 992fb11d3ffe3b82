package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWhoMayImportWhom holds the plan of the house: which rooms a package may
// look into, and which packages of others it may use.
func TestWhoMayImportWhom(t *testing.T) {
	charm := []string{"charm.land/", "github.com/charmbracelet/"}
	below := []string{"turns/themes", "turns/export", "turns/export/redact", "turns/export/outfile", "turns/query", "turns/model"} // of a part of the screen
	stands := append(below, "turns/ui/paint", "turns/ui/screen")
	parts := []string{"turns/ui/paint", "turns/ui/screen", "turns/ui/timeline", "turns/ui/panes", "turns/ui/compare", "turns/ui/take"}
	rooms := []struct {
		pkg    string
		ours   []string // what it may import of ours, besides itself
		others []string // prefixes of what it may import of others
	}{
		{"turns/model", nil, nil},
		{"turns/model/jsonspan", nil, nil},
		{"turns/model/source", []string{"turns/model", "turns/model/jsonspan"},
			[]string{"modernc.org/sqlite", "github.com/klauspost/compress", "github.com/fsnotify/fsnotify", "golang.org/x/sys"}},
		{"turns/model/format", []string{"turns/model", "turns/model/jsonspan", "turns/model/format/envelope"}, nil},
		{"turns/model/format/envelope", []string{"turns/model", "turns/model/jsonspan"}, nil},
		{"turns/model/stitch", []string{"turns/model"}, nil},
		{"turns/model/load", []string{"turns/model", "turns/model/jsonspan", "turns/model/source", "turns/model/format", "turns/model/stitch"}, nil},
		{"turns/model/token", []string{"turns/model"}, []string{"github.com/pkoukk/tiktoken-go"}},
		{"turns/query", []string{"turns/model"}, []string{"github.com/wasilibs/go-re2"}},
		{"turns/export", []string{"turns/model", "turns/model/jsonspan", "turns/query", "turns/export/redact"}, nil},
		{"turns/export/redact", []string{"turns/model"}, nil},
		{"turns/export/outfile", nil, []string{"golang.org/x/sys"}},
		{"turns/themes", nil, []string{"github.com/BurntSushi/toml"}},
		{"turns/ui/paint", []string{"turns/themes", "turns/model", "turns/query/human"}, charm},
		{"turns/ui/screen", append(below, "turns/ui/paint"), charm},
		{"turns/ui/timeline", stands, charm},
		{"turns/ui/panes", stands, charm},
		{"turns/ui/compare", stands, charm},
		{"turns/ui/take", stands, charm},
		{"turns/ui", append(below, parts...),
			append(charm, "github.com/alecthomas/chroma", "github.com/yuin/goldmark", "github.com/mattn/go-runewidth")},
		{"turns/ui/cli", []string{"turns"}, append(charm, "github.com/spf13/", "github.com/BurntSushi/toml", "golang.org/x/")},
		{"turns", []string{"turns/ui/cli"}, nil},
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "turns/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		i := slices.IndexFunc(rooms, func(r struct {
			pkg    string
			ours   []string
			others []string
		}) bool {
			return r.pkg == fields[0]
		})
		if i < 0 {
			continue // helpers of tests
		}
		for _, imported := range fields[1:] {
			if allowed := rooms[i]; !mayImport(allowed.pkg, allowed.ours, allowed.others, imported) {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
	pure(t)
}

func mayImport(pkg string, ours, others []string, imported string) bool {
	switch {
	case !strings.Contains(strings.Split(imported, "/")[0], ".") && imported != "turns" && !strings.HasPrefix(imported, "turns/"):
		return true // the standard library
	case imported == "turns" || strings.HasPrefix(imported, "turns/"):
		return pkg == "turns/ui/cli" || slices.Contains(ours, imported)
	}
	return slices.ContainsFunc(others, func(prefix string) bool { return strings.HasPrefix(imported, prefix) })
}

// pure sees to it that queries reach nothing outside: no files, no network, no
// terminal, no processes.
func pure(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "turns/query", "turns/model", "turns/model/stitch", "turns/model/format").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for imported := range strings.Lines(string(out)) {
		switch strings.TrimSpace(imported) {
		case "os", "os/exec", "net", "net/http", "syscall", "io/ioutil", "math/rand", "math/rand/v2":
			t.Errorf("a pure package imports %s", strings.TrimSpace(imported))
		}
	}
}
