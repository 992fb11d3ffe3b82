package query

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"turns/model"
)

// Window is the size of a model's context window in tokens, and the source of that number.
type Window struct {
	Tokens int64 // 0: unknown
	// the smaller window that the model may have instead, because the transcript does not record
	// which; 0: none
	Or   int64
	From string // "given", "recorded", "from model name", "listed" …; "" if unknown
}

// Least returns the smallest possible window, 0 if none is known.
func (w Window) Least() int64 { return cmp.Or(w.Or, w.Tokens) }

// Evidence is the sizes of a session's requests, which limit the possible windows.
type Evidence struct {
	Largest   int64 // tokens of the largest request
	Compacted int64 // tokens of the largest request directly before a compaction; 0: none
}

// Add includes a measured request.
func (e *Evidence) Add(tokens int64) { e.Largest = max(e.Largest, tokens) }

// EvidenceIn returns the sizes of the requests of a thread.
func EvidenceIn(s *model.Snapshot, thread uint32) (seen Evidence) {
	last := int64(0)
	for i := range s.Rows() {
		id := s.Row(i)
		h := s.HeadRow(id)
		if h.Thread != thread || h.Flags&(model.Rewound|model.OffBranch) != 0 {
			continue
		}
		if h.Op == model.Compact || h.Flags&model.Recap != 0 {
			seen.Compacted = max(seen.Compacted, last)
		}
		if n, ok := ContextOf(s, id); ok {
			seen.Add(n)
			last = n
		}
	}
	return seen
}

//go:embed windows.tsv
var windowList string

// listedWindow is a line of the list.
type listedWindow struct{ window, smaller int64 }

// listedWindows maps the names of models to their windows.
var listedWindows = sync.OnceValue(func() map[string]listedWindow {
	list := make(map[string]listedWindow)
	for line := range strings.Lines(windowList) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) < 3 {
			continue
		}
		window, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			continue // the header
		}
		smaller, _ := strconv.ParseInt(fields[2], 10, 64)
		list[fields[0]] = listedWindow{window, smaller}
	}
	return list
})

// windowVariant matches the end of a model's name that does not make it another model: a date, a
// version, a level of thinking.
var windowVariant = regexp.MustCompile(`^([-@:](\d{8}|\d{4}-\d{2}-\d{2}|v\d+(:\d+)?|latest|preview|exp|thinking|fast|none|minimal|low|medium|high|xhigh|max))+$`)

// windowListed returns the window of a listed model, ignoring prefixes of gateways
// (anthropic/claude-…, us.anthropic.claude-…).
func windowListed(name string) (w listedWindow, ok bool) {
	list := listedWindows()
	for {
		if w, ok := list[name]; ok {
			return w, true
		}
		for end := len(name) - 1; end > 0; end-- {
			if w, ok := list[name[:end]]; ok && windowVariant.MatchString(name[end:]) {
				return w, true
			}
		}
		i := strings.IndexAny(name, "/:.")
		if i < 0 {
			return w, false
		}
		name = name[i+1:]
	}
}

// windowRelated returns the two most common windows of listed models whose names begin like that of
// an unknown one.
func windowRelated(name string) (larger, smaller int64) {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/:.", r) }) {
		family, _, dashed := strings.Cut(part, "-")
		counts := map[int64]int{}
		for known, w := range listedWindows() {
			if dashed && strings.HasPrefix(known, family+"-") {
				counts[w.window]++
				if w.smaller > 0 {
					counts[w.smaller]++
				}
			}
		}
		windows := make([]int64, 0, len(counts))
		for w := range counts {
			windows = append(windows, w)
		}
		slices.SortFunc(windows, func(a, b int64) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(b, a)) })
		switch {
		case len(windows) == 1:
			return windows[0], 0
		case len(windows) > 1:
			return max(windows[0], windows[1]), min(windows[0], windows[1])
		}
	}
	return 0, 0
}

// nearlyFull is the least fill of a window at which an agent compacts by itself.
const nearlyFull = 0.6

// WindowFor returns the context window of a session, from the first known source: given, the
// record, the name of the model, the list of models. From the list it chooses a window that agrees
// with the requests; two may remain.
func WindowFor(se *model.Session, name string, given int64, seen Evidence) Window {
	if given > 0 {
		return Window{Tokens: given, From: "given"}
	}
	if n, err := strconv.ParseInt(se.Field("window"), 10, 64); err == nil && n > 0 && n >= seen.Largest {
		return Window{Tokens: n, From: "recorded"}
	}
	name = strings.ToLower(strings.TrimSpace(cmp.Or(name, se.Field("model"))))
	if strings.HasSuffix(name, "[1m]") || strings.HasSuffix(name, "-1m") {
		return Window{Tokens: max(1_000_000, seen.Largest), From: "from model name"}
	}
	if family, _, _ := strings.Cut(name, "-"); slices.Contains([]string{"opus", "sonnet", "haiku"}, family) {
		name = "claude-" + name // the short name in common use
	}
	w, from := Window{}, "listed"
	if listed, ok := windowListed(name); ok {
		w = Window{Tokens: listed.window, Or: listed.smaller}
	} else {
		from = "of related models"
		w.Tokens, w.Or = windowRelated(name)
	}
	switch {
	case w.Tokens == 0:
		return Window{}
	case seen.Largest > w.Tokens: // the model accepted that many
		return Window{Tokens: seen.Largest, From: "largest request"}
	case w.Or > 0 && seen.Largest > w.Or:
		return Window{Tokens: w.Tokens, From: "largest request and list"}
	case w.Or > 0 && float64(seen.Compacted) >= nearlyFull*float64(w.Or):
		return Window{Tokens: w.Or, From: "compacted at " + strconv.FormatInt(seen.Compacted, 10)}
	}
	w.From = from
	return w
}
