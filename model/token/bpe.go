package token

// Byte pair encoding repeatedly merges the adjacent pair of lowest rank. A literal implementation
// takes quadratic time in the length of a piece (or n log n, with a heap). The method here is
// linear and was first described for the Rust crate bpe (github.com/github/rust-gems): an encoding
// is correct exactly when each two neighbours in it are the result of merging their own bytes,
// independent of the rest. So it goes from left to right, selects the longest token that may follow
// the previous one, and backtracks if no token fits. As the correct encoding of a prefix is unique,
// an impossible position stays impossible, and no position is tried twice.

// mergeAll encodes a piece. The result is valid until the next call.
func (c *Counter) mergeAll(piece []byte) []uint32 {
	v := c.vocab
	stack := c.stack[:0]
	dead := c.deadPositions(len(piece))
	pos, token := 0, v.longest(piece)
	for {
		c.steps++
		end := pos + int(v.length[token])
		if dead[end>>6]>>(end&63)&1 == 0 &&
			(len(stack) == 0 || c.fits(stack[len(stack)-1], token)) {
			stack = append(stack, token)
			if end == len(piece) {
				c.stack = stack
				return stack
			}
			pos, token = end, v.longest(piece[end:])
			continue
		}
		if shorter := v.prefix[token]; shorter != none {
			token = shorter
			continue
		}
		// No token fits here, so the previous one was wrong: try a shorter one. The stack is not
		// empty, because a first token has no neighbour that it could conflict with.
		dead[pos>>6] |= 1 << (pos & 63)
		token = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pos -= int(v.length[token])
	}
}

// fits is adjacent with a cache: a run of one character, for which there are tokens of many
// lengths, asks for the same few hundred pairs again and again.
func (c *Counter) fits(left, right uint32) bool {
	q := uint64(left)<<idBits | uint64(right)
	slot := &c.cache.pairs[q*0x9E3779B97F4A7C15>>(64-pairBits)]
	if *slot>>2 == q && *slot != 0 {
		return *slot&1 != 0
	}
	ok := c.vocab.adjacent(left, right)
	*slot = q<<2 | 2
	if ok {
		*slot |= 1
	}
	return ok
}

// deadPositions returns a cleared set for the positions 0 to n.
func (c *Counter) deadPositions(n int) []uint64 {
	words := n>>6 + 1
	if words > len(c.dead) {
		c.dead = make([]uint64, 2*words)
	}
	dead := c.dead[:words]
	clear(dead)
	return dead
}

// adjacent reports whether merging the bytes of left and right yields exactly these two. It undoes
// their merges, the later ones first: if there had been a pair across the border with a lower rank
// than the undone merge, that pair would have been merged instead.
func (v *vocab) adjacent(left, right uint32) bool {
	limit := none
	for {
		if m := v.merged(left, right); m < limit {
			return false
		}
		// For equal ranks the left pair merges first, hence the +1 on the right.
		if left > right {
			limit = left
			left = v.split[left][1]
			if left == limit {
				limit = right + 1
				right = v.split[right][0]
				if right+1 == limit {
					return true
				}
			}
		} else {
			limit = right + 1
			right = v.split[right][0]
			if right+1 == limit {
				limit = left
				left = v.split[left][1]
				if left == limit {
					return true
				}
			}
		}
	}
}
