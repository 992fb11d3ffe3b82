package paint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"turns/themes"
)

// syntaxMost is the greatest length of a line coloured as code.
const syntaxMost = 400

// syntaxPatterns maps file name patterns ("*.go", "Makefile", ".env.*") to languages, and lists the
// patterns that need matching. chroma matches every pattern against a name, with eight endings,
// which takes longer than a frame.
var syntaxPatterns = sync.OnceValues(func() (byPattern map[string]chroma.PrioritisedLexers, loose []string) {
	byPattern = make(map[string]chroma.PrioritisedLexers)
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		for _, pattern := range lexer.Config().Filenames {
			if byPattern[pattern] == nil && strings.ContainsAny(strings.TrimPrefix(pattern, "*."), "*?[") {
				loose = append(loose, pattern)
			}
			byPattern[pattern] = append(byPattern[pattern], lexer)
		}
	}
	return byPattern, loose
})

// syntaxOf returns the language of a file, nil if its name is unknown.
func syntaxOf(file string) chroma.Lexer {
	name := file[strings.LastIndexAny(file, " /\t\n")+1:] // as in "new src/a.go"
	if name == "" || len(name) > 255 {                    // longest file name
		return nil
	}
	byPattern, loose := syntaxPatterns()
	found := slices.Clone(byPattern[name])
	for i := range len(name) {
		if name[i] == '.' {
			found = append(found, byPattern["*"+name[i:]]...)
		}
	}
	for _, pattern := range loose {
		if ok, _ := path.Match(pattern, name); ok {
			found = append(found, byPattern[pattern]...)
		}
	}
	if len(found) == 0 {
		return nil
	}
	sort.Stable(found)
	return found[0]
}

// syntaxInks are the colours of code tokens; the narrowest listed type applies.
var syntaxInks = map[chroma.TokenType]Ink{
	chroma.Keyword: inkKeyword, chroma.KeywordType: inkType, chroma.NameClass: inkType, chroma.NameTag: inkKeyword, chroma.Comment: inkComment,
	chroma.NameFunction: inkFunction, chroma.NameBuiltin: inkFunction, chroma.NameAttribute: inkFunction, chroma.LiteralString: inkString,
	chroma.LiteralNumber: inkNumber, chroma.Operator: inkPunct, chroma.Punctuation: inkPunct,
}

func syntaxInk(t chroma.TokenType) Ink {
	for _, name := range [...]chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if ink, ok := syntaxInks[name]; ok {
			return ink
		}
	}
	return InkText
}

// syntax colours a line of code. If the highlighter fails or changes any letter of the line, the
// line has one colour.
func syntax(lexer chroma.Lexer, line string, plain Ink) (spans []Span) {
	one := []Span{{Text: line, Ink: plain}}
	if lexer == nil || line == "" || len(line) > syntaxMost {
		return one
	}
	defer func() {
		if recover() != nil {
			spans = one
		}
	}()
	tokens, err := lexer.Tokenise(nil, line)
	if err != nil {
		return one
	}
	var all strings.Builder
	for _, t := range tokens.Tokens() {
		text := strings.TrimSuffix(t.Value, "\n")
		all.WriteString(text)
		spans = append(spans, Span{Text: text, Ink: syntaxInk(t.Type)})
	}
	if all.String() != line {
		return one
	}
	return spans
}

// inked gives the range from–to of a line another ink.
func inked(spans []Span, from, to int, ink Ink) (out []Span) {
	at := 0
	for _, s := range spans {
		end := at + len(s.Text)
		a, b := min(max(from, at), end)-at, min(max(to, at), end)-at
		for _, part := range [...]Span{{Text: s.Text[:a], Ink: s.Ink}, {Text: s.Text[a:b], Ink: ink}, {Text: s.Text[b:], Ink: s.Ink}} {
			if part.Text != "" {
				out = append(out, part)
			}
		}
		at = end
	}
	return out
}

// tint mixes a little of a colour into the theme's background, "" if that is unknown. A colour of
// the palette gives another one of it.
func tint(t *themes.Theme, colour string) string {
	ground := cmp.Or(t.Bg, t.Backdrop)
	g, ok := themes.RGBA(ground)
	c, ok2 := themes.RGBA(colour)
	if !ok || !ok2 || t.ANSI {
		return ""
	}
	mix := func(a, b uint8) int { return (int(a)*86 + int(b)*14) / 100 }
	mixed := fmt.Sprintf("#%02x%02x%02x", mix(g.R, c.R), mix(g.G, c.G), mix(g.B, c.B))
	if !strings.HasPrefix(colour, "#") {
		return themes.Nearest(mixed)
	}
	return mixed
}
