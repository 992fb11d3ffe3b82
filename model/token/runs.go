package token

// Linear time is still slow if every position of a long piece has dozens of possible tokens, as in
// a megabyte of '-'. But the encoding of such a run repeats one token, except near its ends. So a
// long run is encoded without its middle, and the tokens of the middle are inserted afterwards. The
// result is exact, not an estimate, because each two neighbours in it are correct (bpe.go explains
// why this is enough): they are those of the shorter run, or the repeated token twice, which was
// also there.

const (
	// For speed only: longPiece is the minimum length of a run for this method.
	longPiece = 4096
	// For speed only: runEnd is the kept length at either end of a run. It is several times the
	// longest token, so a larger one does not change the count.
	runEnd = 1024
	// For speed only: maxPeriod covers runs of any one character, and patterns such as "=-=-".
	maxPeriod = 4
)

// encoded is the encoding of a piece: ids, with extra more of ids[at] before at.
type encoded struct {
	ids       []uint32
	at, extra int
}

func (e encoded) count() int { return len(e.ids) + e.extra }

func (e encoded) appendTo(dst []uint32) []uint32 {
	dst = append(dst, e.ids[:e.at]...)
	for range e.extra {
		dst = append(dst, e.ids[e.at])
	}
	return append(dst, e.ids[e.at:]...)
}

// merge encodes a piece. The answer is valid until the next call.
func (c *Counter) merge(piece []byte) encoded {
	if len(piece) >= longPiece {
		if e, ok := c.mergeRun(piece); ok {
			return e
		}
	}
	return encoded{ids: c.mergeAll(piece)}
}

// mergeRun encodes a piece with a long run. It returns false for other pieces.
func (c *Counter) mergeRun(piece []byte) (e encoded, ok bool) {
	lo, hi, period := longestRun(piece)
	if hi-lo < longPiece {
		return e, false
	}
	ids := c.mergeAll(piece[lo : lo+2*runEnd])
	at := c.repeated(ids, none, runEnd/2, runEnd*3/2)
	if at < 0 {
		return e, false
	}
	token := ids[at]
	size := int(c.vocab.length[token])
	if size%period != 0 {
		return e, false
	}
	extra := (hi - lo - 2*runEnd) / size
	c.short = append(c.short[:0], piece[:lo+runEnd]...)
	c.short = append(c.short, piece[lo+runEnd+extra*size:]...)
	ids = c.mergeAll(c.short)
	at = c.repeated(ids, token, lo, hi-extra*size)
	return encoded{ids, at, extra}, at >= 0
}

// repeated finds a token (this one, or any for none) that follows itself, both within the bytes lo
// to hi. It returns the index of the second one, or -1.
func (c *Counter) repeated(ids []uint32, token uint32, lo, hi int) int {
	pos := 0
	for i, id := range ids {
		n := int(c.vocab.length[id])
		if i > 0 && ids[i-1] == id && (id == token || token == none) && pos-n >= lo && pos+n <= hi {
			return i
		}
		pos += n
	}
	return -1
}

// longestRun returns the longest part of a piece that repeats after period bytes, at most
// maxPeriod.
func longestRun(piece []byte) (lo, hi, period int) {
	for p := 1; p <= maxPeriod; p++ {
		begin := 0
		for i := p; i <= len(piece); i++ {
			if i < len(piece) && piece[i] == piece[i-p] {
				continue
			}
			if i-begin > hi-lo {
				lo, hi, period = begin, i, p
			}
			begin = i - p + 1
		}
		if hi-lo > len(piece)/2 {
			break
		}
	}
	return lo, hi, period
}
