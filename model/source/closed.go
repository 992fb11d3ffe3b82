package source

// closed returns a truncated document with its open strings and brackets closed, so that its
// content can be judged as JSON. It drops a truncated key, number or literal.
func closed(doc []byte) []byte {
	var open []byte // closing characters of the open brackets
	safe, safeOpen := 0, 0
	key, colon := false, false // a key is expected; a value is expected
	i := 0
	mark := func() { safe, safeOpen = i, len(open) }
	for i < len(doc) {
		switch c := doc[i]; c {
		case '"':
			end, cut := stringCut(doc, i)
			if cut {
				if key || end < 0 {
					return finish(doc[:safe], open[:safeOpen])
				}
				return finish(append(doc[:end:end], '"'), open)
			}
			i = end
			if !key {
				mark()
			}
			continue
		case '{', '[':
			open = append(open, c+2) // '}' and ']' are two after their opening ones
			key, colon = c == '{', false
			i++
			mark()
			continue
		case '}', ']':
			if len(open) == 0 {
				return doc
			}
			open = open[:len(open)-1]
			i++
			mark()
			key = false
			continue
		case ':':
			key, colon = false, true
		case ',':
			key, colon = len(open) > 0 && open[len(open)-1] == '}', false
		case ' ', '\t', '\r', '\n':
		default: // a scalar, complete only if another byte follows
			for i < len(doc) && isScalarByte(doc[i]) {
				i++
			}
			if i < len(doc) && (colon || !key) {
				mark()
			}
			if i < len(doc) && !isScalarByte(c) {
				i++
			}
			continue
		}
		i++
	}
	return finish(doc[:safe], open[:safeOpen])
}

func isScalarByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// stringCut returns the end of the string that begins at i. If the document ends within the string,
// cut is true and end is the last position that does not split an escape.
func stringCut(doc []byte, i int) (end int, cut bool) {
	at := i + 1
	for at < len(doc) {
		switch doc[at] {
		case '"':
			return at + 1, false
		case '\\':
			n := 2
			if at+1 < len(doc) && doc[at+1] == 'u' {
				n = 6
			}
			if at+n > len(doc) {
				return at, true
			}
			at += n
		default:
			at++
		}
	}
	return at, true
}

func finish(doc, open []byte) []byte {
	out := append(make([]byte, 0, len(doc)+len(open)), doc...)
	for i := len(open) - 1; i >= 0; i-- {
		out = append(out, open[i])
	}
	return out
}
