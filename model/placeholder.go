package model

// A stream begins with a placeholder for the tokens of its output, and some agents record that. A
// recorded number is one if the text has more bytes for each token than any text has.
const (
	bytesOfToken    = 4 // of common text
	mostBytes       = 10
	placeholderMost = 16
)

// OutputLeast returns the output tokens of a message: the recorded number, or the size of the text in
// tokens if that number is a placeholder. For a negative number, an unrecorded one, it returns 0.
func (h *Head) OutputLeast(recorded int64) int64 {
	if recorded >= 0 && recorded <= placeholderMost && int64(h.Size) > (recorded+1)*mostBytes {
		return int64(h.Size) / bytesOfToken
	}
	return max(recorded, 0)
}
