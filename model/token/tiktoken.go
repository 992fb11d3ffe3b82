package token

import (
	"fmt"
	"sync"
	"unicode"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// The encodings of models that few still ask are counted by tiktoken-go, which is slower and knows
// them all.

// tiktokens are loaded by the first call, as vocabularies are. P50k's and R50k's ranks are linked
// into the program.
var tiktokens = [...]func() *tiktoken.Tiktoken{
	P50k: sync.OnceValue(func() *tiktoken.Tiktoken { return newTiktoken(P50k) }),
	R50k: sync.OnceValue(func() *tiktoken.Tiktoken { return newTiktoken(R50k) }),
}

var offline = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })

// newTiktoken panics where the ranks that are linked into the program are damaged: no input leads
// there.
func newTiktoken(e Encoding) *tiktoken.Tiktoken {
	offline()
	t, err := tiktoken.GetEncoding(e.String())
	if err != nil {
		panic(fmt.Sprintf("token: preparing %s: %v", e, err))
	}
	return t
}

// longestWord is how many bytes without a space before them tiktoken-go is given at once: it takes
// time that grows with the square of a word's length. Where a longer one is cut, it may count a
// token more.
const longestWord = 1024

// encodeOther encodes by tiktoken-go, a word or some kilobytes of them at a time.
func (c *Counter) encodeOther(text []byte, each func(ids []int)) {
	t := tiktokens[c.encoding]()
	for s := string(c.valid(text)); s != ""; {
		n := window(s)
		each(t.EncodeOrdinary(s[:n]))
		s = s[n:]
	}
}

// window is how much of the beginning of s is encoded by itself: up to a space behind a word, as no
// piece of a text goes across that, or a part of a word that is too long.
func window(s string) int {
	const most = 16 << 10
	end, spaced := 0, true // where the last word ended; whether a space came last
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
