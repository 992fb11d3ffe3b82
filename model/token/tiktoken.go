package token

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode"

	tiktoken "github.com/pkoukk/tiktoken-go"
)

// tiktoken-go counts the encodings of older models. It is slower, but supports all of them.

// tiktokens are loaded by the first call, like vocabularies.
var tiktokens = [...]func() *tiktoken.Tiktoken{
	P50k: sync.OnceValue(func() *tiktoken.Tiktoken { return newTiktoken(P50k) }),
	R50k: sync.OnceValue(func() *tiktoken.Tiktoken { return newTiktoken(R50k) }),
}

// p50k is p50k_base.tiktoken as OpenAI publishes it: a line per token, with its bytes in base64 and
// its rank. The first r50kTokens lines are r50k_base.tiktoken.
//
//go:embed p50k.tiktoken
var p50k string

// r50kTokens is the number of tokens in R50k. P50k adds runs of spaces.
const r50kTokens = 50256

// ranks is a loader for tiktoken-go with the ranks in the program. It replaces tiktoken-go-loader,
// which also contains the two large vocabularies: 5 MB that only tests need.
type ranks struct{}

// LoadTiktokenBpe returns the ranks of P50k or R50k by the address of their file.
func (ranks) LoadTiktokenBpe(file string) (map[string]int, error) {
	tokens := 0
	switch name := path.Base(file); name {
	case "p50k_base.tiktoken":
		tokens = strings.Count(p50k, "\n")
	case "r50k_base.tiktoken":
		tokens = r50kTokens
	default:
		return nil, fmt.Errorf("reading the ranks of tokens: no file %q", name)
	}
	all := make(map[string]int, tokens)
	for line := range strings.Lines(p50k) {
		if len(all) == tokens {
			break
		}
		encoded, rank, _ := strings.Cut(strings.TrimSpace(line), " ")
		token, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("reading the ranks of tokens: line %d: %w", len(all)+1, err)
		}
		if all[string(token)], err = strconv.Atoi(rank); err != nil {
			return nil, fmt.Errorf("reading the ranks of tokens: line %d: %w", len(all)+1, err)
		}
	}
	return all, nil
}

var offline = sync.OnceFunc(func() { tiktoken.SetBpeLoader(ranks{}) })

// newTiktoken panics if the ranks in the program are damaged, which does not depend on any input.
func newTiktoken(e Encoding) *tiktoken.Tiktoken {
	offline()
	t, err := tiktoken.GetEncoding(e.String())
	if err != nil {
		panic(fmt.Sprintf("token: preparing %s: %v", e, err))
	}
	return t
}

// longestWord limits the bytes without a space that tiktoken-go encodes at a time, because its time
// is quadratic in a word's length. Cutting a longer one may add a token to the count.
const longestWord = 1024

// encodeOther encodes with tiktoken-go, a word or some kilobytes of them at a time.
func (c *Counter) encodeOther(text []byte, each func(ids []int)) {
	t := tiktokens[c.encoding]()
	for s := string(c.valid(text)); s != ""; {
		n := window(s)
		each(t.EncodeOrdinary(s[:n]))
		s = s[n:]
	}
}

// window returns the length of the next part of s to encode separately: up to a space after a word,
// which no piece of a text spans, or a part of a word that is too long.
func window(s string) int {
	const most = 16 << 10
	end, spaced := 0, true // end of the last word; whether a space was last
	for i, r := range s {
		space := unicode.IsSpace(r)
		if space && !spaced {
			end = i
		}
		spaced = space
		if i-end >= longestWord && end == 0 {
			return i
		}
		if i-end >= longestWord || end >= most {
			return end
		}
	}
	return len(s)
}
