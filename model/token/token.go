// Package token counts the tokens of a text exactly and without a network, in the encodings of
// OpenAI's models. In the two current encodings it first cuts a text into pieces (words with
// the space before them, up to three digits, runs of punctuation; split.go), then encodes each
// piece by merging pairs of bytes in the order of their rank (bpe.go). The ranks are those that
// tiktoken publishes, from github.com/pkoukk/tiktoken-go-loader, linked into the program in a
// form ready for use (vocab.go). github.com/pkoukk/tiktoken-go (tiktoken.go) counts the older
// encodings and has the table of models.
//
// The usual implementation is slow (3.5 MB/s) and quadratic in the length of a piece, so it
// needs minutes for a megabyte of one character. This one returns the same ids in linear time;
// the tests compare the two.
//
// Text that looks like a special token, such as <|endoftext|>, is plain text
// here: a transcript only quotes it. A byte that is not valid UTF-8 counts as
// U+FFFD, the replacement character.
package token

import (
	"fmt"
	"strings"

	tiktoken "github.com/pkoukk/tiktoken-go"
)

//go:generate go run gen.go

// Encoding names a vocabulary with its rule for cutting text into pieces.
type Encoding uint8

const (
	// O200k is o200k_base, the encoding of GPT-4o and everything after it.
	O200k Encoding = iota
	// Cl100k is cl100k_base, the encoding of GPT-4 and GPT-3.5.
	Cl100k
	// P50k is p50k_base, the encoding of text-davinci-003 and of the models for code before it.
	P50k
	// R50k is r50k_base, the encoding of GPT-3 and, by the name gpt2, of GPT-2.
	R50k
)

// names are tiktoken's names.
var names = [...]string{O200k: "o200k_base", Cl100k: "cl100k_base", P50k: "p50k_base", R50k: "r50k_base"}

// String returns tiktoken's name of the encoding.
func (e Encoding) String() string {
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("Encoding(%d)", uint8(e))
}

// Names returns the encodings' names without their "_base".
func Names() []string {
	var short []string
	for _, name := range names {
		short = append(short, strings.TrimSuffix(name, "_base"))
	}
	return short
}

// ParseEncoding reads the name of an encoding, with or without its "_base".
func ParseEncoding(s string) (Encoding, error) {
	for e, name := range names {
		if s == name || s+"_base" == name {
			return Encoding(e), nil
		}
	}
	return 0, fmt.Errorf("unknown token encoding %q (valid: %s, each also with _base)", s, strings.Join(Names(), ", "))
}

// ForModel returns the encoding of a model by its name, from tiktoken's tables, and O200k for a
// model that they do not have. The models of other makers have separate vocabularies, so for them
// the count is an approximation in any encoding.
func ForModel(model string) Encoding {
	m := strings.ToLower(model)
	// Gateways write "openai/gpt-4", Azure "gpt-35-turbo", fine-tuned models are "ft:gpt-4:org::id"
	// or "davinci:ft-org".
	m = m[strings.LastIndexByte(m, '/')+1:]
	m, _, _ = strings.Cut(strings.TrimPrefix(m, "ft:"), ":")
	m = strings.Replace(m, "gpt-35", "gpt-3.5", 1)
	if e, ok := encodingOf(tiktoken.MODEL_TO_ENCODING[m]); ok {
		return e
	}
	best, longest := O200k, 0
	for _, table := range []map[string]string{tiktoken.MODEL_PREFIX_TO_ENCODING, newer} {
		for prefix, name := range table {
			if e, ok := encodingOf(name); ok && len(prefix) > longest && strings.HasPrefix(m, prefix) {
				best, longest = e, len(prefix)
			}
		}
	}
	return best
}

// newer are names in tiktoken that the tables of tiktoken-go lack.
var newer = map[string]string{"davinci-002": "cl100k_base", "babbage-002": "cl100k_base", "gpt-3.5": "cl100k_base", "gpt-2": "gpt2"}

// encodingOf maps a name in tiktoken's tables to an encoding: p50k_edit has other special tokens
// than p50k_base, gpt2 is r50k_base.
func encodingOf(name string) (Encoding, bool) {
	switch name {
	case "":
		return 0, false
	case "p50k_edit":
		return P50k, true
	case "gpt2":
		return R50k, true
	}
	e, err := ParseEncoding(name)
	return e, err == nil
}
