// Package themes has the colours of the screen: the purpose of each colour, the built-in
// themes, and a reader for a user's own.
//
// A theme is a list of colour tokens, each named after its meaning ("role.user", "diff.add"),
// never after its look. The program that draws decides on bold, underline and the place of a
// colour. A token is one of
//
//	"#rrggbb"      that colour
//	"0" to "255"   an entry of the terminal's palette; 0 to 15 are the user's own
//	""             the terminal's own foreground or background
//
// as lipgloss.Color accepts them ("" is lipgloss.NoColor). Tokens lists all of them with their
// purpose: a theme file may set these, the documentation prints them, and the contrast test
// checks them.
//
// Themes rarely paint the background, because a screen that does not match the terminal around
// it looks foreign and transparent terminals stop being transparent. Backdrop of each theme is
// the background that it was made for, and Check measures every text against it. On another
// background, if ReadableOn is false, Grounded returns the colours to draw.
//
// If both colours of a pair are "", draw it in reverse video.
package themes

import (
	"fmt"
	"slices"
	"strings"

	"turns/themes/tomlfile"
)

// Theme is a set of colours, one per token. The zero value draws everything in
// the terminal's own foreground.
type Theme struct {
	Name     string // name for --theme
	Dark     bool   // made for a dark background
	ANSI     bool   // only the 16 colours of the terminal's palette
	Backdrop string // the background it was made for; only Grounded paints it

	Fg, Bg, Dim, Faint, Heading, Link string

	Accent, OK, Error, Warning, Running, Mark string

	SelectionFg, SelectionBg, CursorBg string
	StatusFg, StatusBg                 string
	Border, BorderFocus                string
	ScrollThumb, ScrollTrack           string

	RoleUser, RoleAssistant, RoleReasoning, RoleSystem, RoleTool, RoleInjected, RoleEvent string

	MatchFg, MatchBg, MatchCurrentFg, MatchCurrentBg string

	DiffAdd, DiffDel, DiffHunk string

	SyntaxKeyword, SyntaxString, SyntaxNumber, SyntaxComment, SyntaxFunction, SyntaxType, SyntaxPunctuation string

	Bar, BarTrack, BarInput, BarOutput, BarCacheRead, BarCacheWrite, BarReasoning, BarTools, BarModel, BarUser, BarIdle string
}

// Kind is how much contrast a token needs.
type Kind int

const (
	// Text is read: 4.5:1 against the background and the cursor line.
	Text Kind = iota
	// Shape is seen, not read (bars, the focused border): 3:1.
	Shape
	// Decor may be faint: rules, guides, tracks.
	Decor
	// Ground is a background; the text on it is measured against it.
	Ground
)

// Token is one colour of a theme: its name in a theme file, its purpose, and its field in a Theme.
type Token struct {
	Name  string
	Kind  Kind
	On    string // token of the background it is drawn on; "" for the theme's
	Use   string
	field func(*Theme) *string
}

// Get returns the colour of the token in t, as in a theme file; "" for the terminal's own.
func (k Token) Get(t Theme) string { return *k.field(&t) }

// No name may be the prefix of another ("border" and "border.focus"): TOML could not write both
// without quotes.
var tokens = []Token{
	{"fg", Text, "", "plain text", func(t *Theme) *string { return &t.Fg }},
	{"bg", Ground, "", "background; empty is the terminal's own", func(t *Theme) *string { return &t.Bg }},
	{"dim", Text, "", "secondary text: times, indices, fold signs, brackets", func(t *Theme) *string { return &t.Dim }},
	{"faint", Decor, "", "guides, rules, placeholders nobody has to read", func(t *Theme) *string { return &t.Faint }},
	{"heading", Text, "", "headings of panes and of Markdown", func(t *Theme) *string { return &t.Heading }},
	{"link", Text, "", "links", func(t *Theme) *string { return &t.Link }},
	{"accent", Text, "", "keys, the active field, compactions", func(t *Theme) *string { return &t.Accent }},
	{"ok", Text, "", "glyph of a call that succeeded", func(t *Theme) *string { return &t.OK }},
	{"error", Text, "", "failures, and nothing else", func(t *Theme) *string { return &t.Error }},
	{"warning", Text, "", "denied, interrupted, secrets that are kept", func(t *Theme) *string { return &t.Warning }},
	{"running", Text, "", "calls without a result while the run is alive", func(t *Theme) *string { return &t.Running }},
	{"mark", Text, "", "marks and their ticks on the scroll bar", func(t *Theme) *string { return &t.Mark }},
	{"selection.fg", Text, "selection.bg", "text of selected rows", func(t *Theme) *string { return &t.SelectionFg }},
	{"selection.bg", Ground, "", "background of selected rows", func(t *Theme) *string { return &t.SelectionBg }},
	{"cursor.bg", Ground, "", "background of the row the cursor is on; its text keeps its colours", func(t *Theme) *string { return &t.CursorBg }},
	{"status.fg", Text, "status.bg", "text of the status line", func(t *Theme) *string { return &t.StatusFg }},
	{"status.bg", Ground, "", "background of the status line", func(t *Theme) *string { return &t.StatusBg }},
	{"border.plain", Decor, "", "borders of panes", func(t *Theme) *string { return &t.Border }},
	{"border.focus", Shape, "", "border of the pane that has the keys", func(t *Theme) *string { return &t.BorderFocus }},
	{"scroll.thumb", Shape, "", "thumb of the scroll bar", func(t *Theme) *string { return &t.ScrollThumb }},
	{"scroll.track", Decor, "", "track of the scroll bar", func(t *Theme) *string { return &t.ScrollTrack }},
	{"role.user", Text, "", "glyph and word of a prompt", func(t *Theme) *string { return &t.RoleUser }},
	{"role.assistant", Text, "", "glyph and word of an answer", func(t *Theme) *string { return &t.RoleAssistant }},
	{"role.reasoning", Text, "", "glyph and word of reasoning", func(t *Theme) *string { return &t.RoleReasoning }},
	{"role.system", Text, "", "glyph and word of system and developer messages", func(t *Theme) *string { return &t.RoleSystem }},
	{"role.tool", Text, "", "name of a tool", func(t *Theme) *string { return &t.RoleTool }},
	{"role.injected", Text, "", "text that a program put into the prompt", func(t *Theme) *string { return &t.RoleInjected }},
	{"role.event", Text, "", "records that are no messages", func(t *Theme) *string { return &t.RoleEvent }},
	{"match.fg", Text, "match.bg", "text of a search hit", func(t *Theme) *string { return &t.MatchFg }},
	{"match.bg", Ground, "", "background of a search hit", func(t *Theme) *string { return &t.MatchBg }},
	{"match.current.fg", Text, "match.current.bg", "text of the hit the cursor is on", func(t *Theme) *string { return &t.MatchCurrentFg }},
	{"match.current.bg", Ground, "", "background of the hit the cursor is on", func(t *Theme) *string { return &t.MatchCurrentBg }},
	{"diff.add", Text, "", "added lines", func(t *Theme) *string { return &t.DiffAdd }},
	{"diff.del", Text, "", "removed lines", func(t *Theme) *string { return &t.DiffDel }},
	{"diff.hunk", Text, "", "hunk headers", func(t *Theme) *string { return &t.DiffHunk }},
	{"syntax.keyword", Text, "", "keywords in code", func(t *Theme) *string { return &t.SyntaxKeyword }},
	{"syntax.string", Text, "", "strings in code and JSON", func(t *Theme) *string { return &t.SyntaxString }},
	{"syntax.number", Text, "", "numbers and constants", func(t *Theme) *string { return &t.SyntaxNumber }},
	{"syntax.comment", Text, "", "comments", func(t *Theme) *string { return &t.SyntaxComment }},
	{"syntax.function", Text, "", "functions, and keys in JSON", func(t *Theme) *string { return &t.SyntaxFunction }},
	{"syntax.type", Text, "", "types", func(t *Theme) *string { return &t.SyntaxType }},
	{"syntax.punctuation", Text, "", "brackets, commas, operators", func(t *Theme) *string { return &t.SyntaxPunctuation }},
	{"bar.fill", Shape, "", "bars and charts that show one thing", func(t *Theme) *string { return &t.Bar }},
	{"bar.track", Decor, "", "the empty part of a bar", func(t *Theme) *string { return &t.BarTrack }},
	{"bar.input", Shape, "", "input tokens", func(t *Theme) *string { return &t.BarInput }},
	{"bar.output", Shape, "", "output tokens", func(t *Theme) *string { return &t.BarOutput }},
	{"bar.cache_read", Shape, "", "tokens read from the cache", func(t *Theme) *string { return &t.BarCacheRead }},
	{"bar.cache_write", Shape, "", "tokens written to the cache", func(t *Theme) *string { return &t.BarCacheWrite }},
	{"bar.reasoning", Shape, "", "reasoning tokens", func(t *Theme) *string { return &t.BarReasoning }},
	{"bar.tools", Shape, "", "time in tools", func(t *Theme) *string { return &t.BarTools }},
	{"bar.model", Shape, "", "time waiting for the model", func(t *Theme) *string { return &t.BarModel }},
	{"bar.user", Shape, "", "time waiting for the user", func(t *Theme) *string { return &t.BarUser }},
	{"bar.idle", Decor, "", "the rest of the time", func(t *Theme) *string { return &t.BarIdle }},
}

// Get returns the colour of the token with a name; false if there is no such token.
func (t Theme) Get(name string) (string, bool) {
	if k := slices.IndexFunc(tokens, func(k Token) bool { return k.Name == name }); k >= 0 {
		return tokens[k].Get(t), true
	}
	return "", false
}

// Find returns the built-in theme with a name, in either spelling of colour. The error for an
// unknown name lists the valid ones.
func Find(name string) (Theme, error) {
	spelled := strings.Replace(name, "color-", "colour-", 1)
	if t, ok := builtin(spelled); ok {
		return t, nil
	}
	return Theme{}, unknown(name, Names())
}

func unknown(name string, valid []string) error {
	hint := ";"
	if n := tomlfile.Nearest(name, valid); n != "" {
		hint = fmt.Sprintf(", did you mean %q?", n)
	}
	return fmt.Errorf("unknown theme %q%s valid: %s", name, hint, strings.Join(valid, ", "))
}
