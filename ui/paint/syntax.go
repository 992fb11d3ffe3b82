package paint

import (
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"turns/themes"
)

// syntaxMost is how long a line may be to be coloured as code.
const syntaxMost = 400

// syntaxOf is the language of a file, nil where its name does not tell.
func syntaxOf(path string) chroma.Lexer {
	words := strings.Fields(path) // "new a.go"
	if len(words) == 0 {
		return nil
	}
	return lexers.Match(words[len(words)-1])
}

// syntaxInks are the colours of the tokens of code, by the narrowest name that is here.
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

// syntax colours a line of code. What the highlighter gives must be the line, to the letter: else,
// and where it knows nothing, the line has one colour.
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

// inked gives the part of a line between two places an ink of its own.
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

// tint is the ground of a theme with a little of a colour, "" where nobody knows what that is.
func tint(t *themes.Theme, colour string) string {
	ground := t.Bg
	if ground == "" {
		ground = t.Backdrop
	}
	g, ok := themes.RGBA(ground)
	c, ok2 := themes.RGBA(colour)
	if !ok || !ok2 || t.ANSI {
		return ""
	}
	mix := func(a, b uint8) int { return (int(a)*86 + int(b)*14) / 100 }
	return fmt.Sprintf("#%02x%02x%02x", mix(g.R, c.R), mix(g.G, c.G), mix(g.B, c.B))
}
