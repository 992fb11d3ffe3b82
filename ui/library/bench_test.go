package library_test

import (
	"fmt"
	"strings"
	"testing"

	"turns/ui/library"
)

// tenThousand returns a session of 10,000 messages that alternates between 20 tools.
func tenThousand(tb testing.TB) *library.Session {
	tb.Helper()
	var b strings.Builder
	for i := 0; i < 10_000; i += 4 {
		tool := fmt.Sprintf("tool_%d", i/4%20)
		fmt.Fprintf(&b, `{"role":"user","content":"question %d"}`+"\n", i)
		fmt.Fprintf(&b, `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":%q,"arguments":"{}"}}]}`+"\n", i, tool)
		fmt.Fprintf(&b, `{"role":"tool","tool_call_id":"c%d","content":"result %d"}`+"\n", i, i)
		fmt.Fprintf(&b, `{"role":"assistant","content":"answer %d"}`+"\n", i)
	}
	s, err := library.Read(strings.NewReader(b.String()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// filters selects the messages of one tool in one role.
func filters(tb testing.TB, s *library.Session, n int) {
	for i := range n {
		got, err := s.Where(library.Role("tool"), library.Tool(fmt.Sprintf("tool_%d", i%20)))
		if err != nil || got.Len() != 125 {
			tb.Fatal(err, got.Len())
		}
	}
}

// BenchmarkFilters measures 1,000 filters by role and tool over 10,000 messages.
func BenchmarkFilters(b *testing.B) {
	s := tenThousand(b)
	for b.Loop() {
		filters(b, s, 1000)
	}
}
