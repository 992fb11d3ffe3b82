package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// family is the list of packages that the formats of a family may import.
const family = "model model/jsonspan model/format/kit"

// standsOn lists the packages that every part of the screen may import, none of them a part.
const standsOn = "ui/paint ui/config ui/screen ui/transcripts query/... export/... model themes"

const charm = "charm.land/ github.com/charmbracelet/"

// rooms lists the packages of this module that each package may import in addition to itself, and
// external ones. A name that ends in /... includes the packages below it. Every package has a row,
// and every allowed import is used: the table is a map of the program.
var rooms = []struct{ pkg, ours, others string }{
	{"turns", "ui/cli", ""},

	{"model", "", ""},
	{"model/jsonspan", "", ""},
	{"model/source", "model model/jsonspan model/source/...", "modernc.org/sqlite github.com/klauspost/compress github.com/fsnotify/fsnotify google.golang.org/protobuf/encoding/protowire"},
	{"model/source/bucket", "model model/source/remote", "github.com/minio/minio-go/ gopkg.in/ini.v1"},
	{"model/source/bucket/buckettest", "", ""},
	{"model/source/disk", "", ""},
	{"model/source/parquet", "model", "github.com/parquet-go/"},
	{"model/source/remote", "model/source/disk", ""},
	{"model/source/shell", "model/source/remote", ""},
	{"model/source/spool", "model", ""},
	{"model/source/web", "model model/jsonspan model/source/spool", ""},
	{"model/format", "model model/jsonspan model/format/...", "github.com/BurntSushi/toml"},
	{"model/format/dump", "model", ""},
	{"model/format/formattest", "model model/jsonspan model/modeltest model/format/dump model/format/kit", ""},
	{"model/format/kit", "model model/jsonspan", ""},
	{"model/format/agentc", family, ""},
	{"model/format/agents", family, ""},
	{"model/format/agentsmithy", family + " model/format/langchain", ""},
	{"model/format/chats", family + " model/format/pydantic", ""},
	{"model/format/claude", family, ""},
	{"model/format/cline", family, ""},
	{"model/format/codex", family, ""},
	{"model/format/copilot", family, ""},
	{"model/format/cursor", family, ""},
	{"model/format/dexto", family, ""},
	{"model/format/evals", family, ""},
	{"model/format/gemini", family + " model/format/openai", ""},
	{"model/format/gptme", family, ""},
	{"model/format/kiro", family, ""},
	{"model/format/langchain", family, ""},
	{"model/format/openai", family, ""},
	{"model/format/opencode", family, ""},
	{"model/format/openhands", family, ""},
	{"model/format/otel", family + " model/format/vercel", ""},
	{"model/format/pi", family, ""},
	{"model/format/providers", family, ""},
	{"model/format/pydantic", family, ""},
	{"model/format/vercel", family, ""},
	{"model/format/described", "model model/jsonspan model/format/kit themes/tomlfile", "github.com/BurntSushi/toml"},
	{"model/format/infer", "model model/jsonspan model/format/described model/format/envelope", ""},
	{"model/format/prose", "model model/jsonspan model/format/described model/format/envelope model/format/infer", "go.yaml.in/yaml/v3"},
	{"model/format/amend", "model model/jsonspan model/format/described", ""},
	{"model/format/envelope", "model model/jsonspan", ""},
	{"model/stitch", "model", ""},
	{"model/load", "model model/jsonspan model/source/... model/format model/format/dump model/stitch", "golang.org/x/sys"},
	{"model/token", "model", "github.com/pkoukk/tiktoken-go"},
	{"model/modeltest", "", ""},

	{"query/redact", "model", "golang.org/x/text/unicode/norm"},
	{"query/human", "model query/redact", "github.com/charmbracelet/x/ansi"},
	{"query/answer", "model query/human", ""},
	{"query/lang", "model query/human", ""},
	{"query", "model query/human", ""},
	{"query/cache", "model query query/human", ""},
	{"query/quota", "model query/human", ""},
	{"query/content", "model query query/answer query/describe query/human query/summary query/window", ""},
	{"query/label", "model model/jsonspan query/human", ""},
	{"query/filter", "model query query/cache query/label query/lang query/human", ""},
	{"query/patch", "query", ""},
	{"query/describe", "model query query/filter query/human query/patch", ""},
	{"query/changes", "model query query/answer query/describe query/human query/patch", ""},
	{"query/session", "model query query/answer query/cache query/label query/describe query/filter query/lang query/human query/quota", ""},
	{"query/lanes", "model query query/answer query/describe query/human", ""},
	{"query/provider", "model query query/human", ""},
	{"query/summary", "model query query/answer query/cache query/label query/lanes query/session query/describe query/filter query/human", ""},
	{"query/window", "model query query/answer query/describe query/provider query/summary query/human", ""},
	{"query/runs", "model query query/answer query/changes query/describe query/window query/summary query/human", ""},
	{"query/many", "model query query/answer query/label query/lang query/filter query/session query/describe query/lanes query/summary query/runs query/human", ""},
	{"query/reading", "model query query/describe query/human", ""},
	{"query/trials", "model query query/answer query/label query/many query/human", "gonum.org/v1/gonum/mathext"},
	{"query/querytest", "model query", ""},

	{"export", "model query/...", ""},
	{"export/walk", "model query/... export", ""},
	{"export/shape", "model model/jsonspan model/format/kit query/... export", ""},
	{"export/people", "model model/jsonspan query/... export export/walk export/shape", "github.com/yuin/goldmark"},
	{"export/dialect", "model model/jsonspan query/... export export/walk export/shape", ""},
	{"export/trace", "model query/... export", ""},
	{"export/keep", "export/outfile query/redact", "github.com/klauspost/compress"},
	{"export/parquet", "model model/source/parquet query/... export/shape export/outfile", "github.com/parquet-go/ github.com/klauspost/compress"},
	{"export/formats", "export export/shape export/people export/dialect export/trace", ""},
	{"export/exporttest", "model model/load model/modeltest query/... export", ""},
	{"export/outfile", "", ""},
	{"export/fork", "model model/jsonspan export/outfile", ""},
	{"themes", "themes/tomlfile export/outfile", "github.com/lucasb-eyer/go-colorful"},
	{"themes/tomlfile", "", "github.com/BurntSushi/toml"},

	{"ui/paint", "themes query/human model", charm + " github.com/alecthomas/chroma github.com/yuin/goldmark golang.org/x/image"},
	{"ui/library", "model model/load model/token export export/formats query/... ui/transcripts", ""},
	{"ui/transcripts", "model model/format model/load model/source/... export/outfile export/fork query/...", ""},
	{"ui/config", "model themes themes/tomlfile query/summary export/outfile", "github.com/BurntSushi/toml"},
	{"ui/screen", "ui/paint ui/config ui/transcripts query/... export/... model themes", charm},
	{"ui/timeline", standsOn, charm},
	{"ui/panes", standsOn, charm},
	{"ui/compare", standsOn, charm},
	{"ui/take", standsOn, charm},
	{"ui/sessions", standsOn, charm},
	{"ui", standsOn + " ui/timeline ui/panes ui/compare ui/take ui/sessions", charm},
	{"ui/board", "model query/human query/quota query/session", ""},
	{"ui/listen", "export/outfile", "github.com/klauspost/compress/zstd go.opentelemetry.io/proto/otlp google.golang.org/protobuf"},
	{"ui/mcp", "model model/token query/... export/... ui/transcripts", "github.com/modelcontextprotocol/"},
	{"ui/cli/console", "model query/human", "golang.org/x/sys"},
	{"ui/cli/help", "", "github.com/spf13/ github.com/charmbracelet/x/ansi github.com/yuin/goldmark"},
	{"ui/cli", "model/... query/... export/... themes themes/tomlfile ui/...", charm + " github.com/spf13/ golang.org/x/"},
}

// pureRooms have no outside effects: no files, no network, no terminal, no processes, no clock.
var pureRooms = []string{"model", "model/stitch", "model/format/...", "query/..."}

const impure = " os os/exec net net/http syscall io/ioutil math/rand math/rand/v2 "

// TestWhoMayImportWhom checks the imports against the table.
func TestWhoMayImportWhom(t *testing.T) {
	var out []byte
	for _, system := range []string{"linux", "windows"} { // some imports are for one system
		list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "turns/...")
		list.Env = append(os.Environ(), "GOOS="+system)
		of, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		out = append(out, of...)
	}
	shared := strings.Join([]string{family, standsOn, charm}, " ")
	used := map[string]bool{} // allowed names that the package imports
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := short(fields[0])
		found := false
		for _, r := range rooms {
			if r.pkg != pkg {
				continue
			}
			found = true
			for _, imported := range fields[1:] {
				by := allowedBy(r.ours, r.others, imported)
				if by == "" && strings.Contains(imported, ".") || by == "" && strings.HasPrefix(imported, "turns/") {
					t.Errorf("%s imports %s", pkg, imported)
				}
				used[pkg+" "+by] = true
				used[by] = true
			}
		}
		if !found {
			t.Errorf("%s has no row in the plan", pkg)
		}
		if !covers(strings.Join(pureRooms, " "), pkg) {
			continue
		}
		for _, imported := range fields[1:] {
			if strings.Contains(impure, " "+imported+" ") && !strings.HasSuffix(pkg, "test") {
				t.Errorf("%s is pure, and imports %s", pkg, imported)
			}
		}
	}
	for _, r := range rooms {
		for allowed := range strings.FieldsSeq(r.ours + " " + r.others) {
			switch {
			case strings.Contains(" "+shared+" ", " "+allowed+" "):
				if !used[allowed] {
					t.Errorf("no package imports %s", allowed)
				}
			case !used[r.pkg+" "+allowed]:
				t.Errorf("%s may import %s, and does not", r.pkg, allowed)
			}
		}
	}
}

func short(path string) string { return strings.TrimPrefix(path, "turns/") }

// allowedBy returns the name in a row that allows an import, "" if none does. The standard library
// needs no name.
func allowedBy(ours, others, imported string) string {
	if path, ok := strings.CutPrefix(imported, "turns/"); ok {
		for w := range strings.FieldsSeq(ours) {
			if covers(w, path) {
				return w
			}
		}
		return ""
	}
	for prefix := range strings.FieldsSeq(others) {
		if strings.HasPrefix(imported, prefix) {
			return prefix
		}
	}
	return ""
}

// covers reports whether a list of names includes one.
func covers(list, name string) bool {
	for w := range strings.FieldsSeq(list) {
		if base, ok := strings.CutSuffix(w, "/..."); w == name || ok && (name == base || strings.HasPrefix(name, base+"/")) {
			return true
		}
	}
	return false
}
