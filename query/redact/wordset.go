package redact

import "bytes"

// Words of at least five letters: shorter ones appear in real keys by chance.
var sampleWords = newWordSet("example", "placeholder", "redacted", "xxxxx", "changeme", "dummy", "your-", "your_")

// Runs that appear by chance only in long keys.
var sampleRuns = newWordSet("aaaaa", "00000")

// masked finds the mask in the middle of a token.
var masked = newWordSet("xxxxx")

// wordSet finds any of its words in a text, in one pass.
type wordSet struct {
	words [256][]string // by first byte
	next  [256]uint64   // a bit for the lower six bits of each second byte, by first byte
}

// newWordSet makes a set of lower-case words of at least two bytes.
func newWordSet(words ...string) *wordSet {
	var set wordSet
	for _, w := range words {
		set.words[w[0]] = append(set.words[w[0]], w)
		set.next[w[0]] |= 1 << (w[1] % 64)
	}
	return &set
}

// in reports whether the sample of a text contains one of the words, in upper or lower case.
func (set *wordSet) in(text []byte) bool {
	var buf [sample]byte
	text = text[:min(len(text), sample)]
	for i, b := range text {
		buf[i] = lower(b)
	}
	low := buf[:len(text)]
	for i := 0; i+1 < len(low); i++ {
		if set.next[low[i]]>>(low[i+1]%64)&1 == 0 {
			continue
		}
		for _, w := range set.words[low[i]] {
			if bytes.HasPrefix(low[i:], []byte(w)) {
				return true
			}
		}
	}
	return false
}
