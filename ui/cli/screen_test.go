package cli

import (
	"testing"

	"turns/query/lang"
)

// TestSessionFilter: both sides of | in the filter apply to the session only.
func TestSessionFilter(t *testing.T) {
	for _, tt := range []struct{ id, filter, want string }{
		{"abc", "", "session:abc"},
		{"abc", " ", "session:abc"},
		{"abc", "is:error | role:user", "session:abc (is:error | role:user)"},
		{`a"b\n`, "x", `session:"a\"b\\n" x`},
	} {
		f, err := lang.Parse(sessionFilter(tt.id, tt.filter))
		if err != nil {
			t.Errorf("%q with %q: %v", tt.id, tt.filter, err)
		} else if got := f.String(); got != tt.want {
			t.Errorf("%q with %q is %s, want %s", tt.id, tt.filter, got, tt.want)
		}
	}
}
