package format

import (
	"cmp"
	_ "embed" // of known.toml
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"turns/model"
	"turns/model/format/infer"
)

//go:embed known.toml
var knownText string

// known is the entry of a format in known.toml.
type known struct {
	Verified string   `toml:"verified"`
	Tables   []string `toml:"tables"`
	Records  []string `toml:"records"`
}

// everyFormat is the entry of known.toml that applies to all formats.
const everyFormat = "*"

var knownFormats = sync.OnceValue(func() map[string]known {
	all := map[string]known{}
	if _, err := toml.Decode(knownText, &all); err != nil {
		panic("known.toml: " + err.Error()) // a test reads it
	}
	return all
})

// Verified returns the newest version of its agent that a format was checked with, "" if the
// samples name no version.
func Verified(f *model.Format) string { return knownFormats()[f.Name].Verified }

// ReadsTable reports whether a format reads a table, or ignores it on purpose because it has no
// part of a conversation. For an unknown database, the reason of the match names the unread
// tables instead.
func ReadsTable(f *model.Format, table string) bool {
	if matches(knownFormats()[everyFormat].Tables, table) || matches(knownFormats()[f.Name].Tables, table) || f.Unroll == nil || f.Name == infer.Name {
		return true
	}
	return slices.ContainsFunc(f.Unroll.Queries, func(q model.Query) bool {
		return slices.ContainsFunc(q.Needs, func(need string) bool { name, _, _ := strings.Cut(need, "."); return name == table }) ||
			slices.Contains(strings.FieldsFunc(q.SQL, notInName), table)
	})
}

func notInName(r rune) bool {
	return r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
}

// Unread returns the parts of a line transcript that the format does not know: record types that
// became no message, with their number, the most frequent first. It returns nil if there are none,
// and for formats whose records known.toml does not list.
func Unread(f *model.Format, snap *model.Snapshot) []model.Unread {
	types := knownFormats()[f.Name].Records
	if len(types) == 0 || snap.Notes() == 0 {
		return nil
	}
	counts := map[uint16]int{}
	for n := range snap.Rows() {
		if h := snap.HeadRow(model.ID(n)); h.Op == model.Note {
			counts[h.Name]++
		}
	}
	var unread []model.Unread
	for name, n := range counts {
		if word := snap.Name(name); word != "" && !matches(types, word) && !matches(knownFormats()[everyFormat].Records, word) {
			unread = append(unread, model.Unread{Kind: model.UnreadRecord, Name: word, Count: n})
		}
	}
	slices.SortFunc(unread, func(a, b model.Unread) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Name, b.Name)) })
	return unread
}

// matches reports whether a name matches one of the patterns, in which "*" at the beginning or the
// end stands for any text.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		head, ends := strings.CutSuffix(p, "*")
		if tail, begins := strings.CutPrefix(head, "*"); begins {
			return strings.HasSuffix(name, tail)
		}
		return head == name || ends && strings.HasPrefix(name, head)
	})
}
