package runs

import "testing"

// TestCorrections: a prompt that begins with one of these words corrects the answer before it.
func TestCorrections(t *testing.T) {
	for _, start := range []string{"No", "No, ", "no.", "no!", "no way", "Nope", "don't", "dont do", "do not", "stop", "wrong", "that's not", "thats not", "that is not",
		"this is not", "actually", "undo", "revert", "not what", "you forgot", "you didn't", "still not", "it still", "still broken", "wait", "instead", "i said",
		"i meant", "never mind", "nein", "non, merci"} {
		if !corrects(start) {
			t.Errorf("%q corrects", start)
		}
	}
	for _, start := range []string{"now", "note", "yes", "please stop", "north", "donate", "nonsense", ""} {
		if corrects(start) {
			t.Errorf("%q corrects nothing", start)
		}
	}
}
