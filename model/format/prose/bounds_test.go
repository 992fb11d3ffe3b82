package prose

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"turns/model/format/described"
)

// TestPiecesAreLimited: a text without borders is cut into pieces of 8 MiB.
func TestPiecesAreLimited(t *testing.T) {
	endless := splitter{&layout{cut: func([]byte, bool) ([]byte, int) { return nil, 0 }}}
	text := bytes.Repeat([]byte("a"), 8<<20)
	if _, n := endless.Split(text[1:], false); n != 0 {
		t.Errorf("%d bytes are cut from a piece whose end may come", n)
	}
	if _, n := endless.Split(text, false); n != 8<<20 {
		t.Errorf("%d bytes of a piece of 8 MiB are cut", n)
	}
	if rec, n := endless.Split([]byte("a\n"), true); n != 2 || string(rec.Data) != "a" {
		t.Errorf("the end of the text is %q of %d bytes", rec.Data, n)
	}
}

// TestTeams: 2 to 12 speakers, one of them the user, are a team.
func TestTeams(t *testing.T) {
	for members, want := range map[int]bool{1: false, 2: true, 12: true, 13: false} {
		text := "---------- user ----------\nHow?\n"
		for i := range members - 1 {
			text += fmt.Sprintf("---------- Member%c ----------\nSo.\n", 'A'+i)
		}
		if names := (sections{heading: drawnHeadings[0]}).team([]byte(text)); (names != nil) != want || want && len(names) != members {
			t.Errorf("%d speakers are the team %v", members, names)
		}
	}
}

// TestOpenings: sections begin in the first third of a text, those under Markdown headings also
// within 600 bytes.
func TestOpenings(t *testing.T) {
	markdown, plain := "## User\nHow?\n## Assistant\nSo.\n", "User: How?\n\nAssistant: It is so.\n\n"
	for name, c := range map[string]struct {
		lead int
		talk string
		want bool
	}{
		"599 bytes before headings": {599, markdown, true},
		"600 bytes before headings": {600, markdown, false},
		"half of the other text":    {len(plain) / 2, plain, true},
		"one byte more":             {len(plain)/2 + 1, plain, false},
	} {
		lead := strings.Repeat("a", c.lead-2) + "\n\n"
		if got := lookForSections([]byte(lead + c.talk)); (got != nil) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSignsOfHeadings: the sign of a heading is among its first 160 bytes.
func TestSignsOfHeadings(t *testing.T) {
	s := sections{heading: headings[4]}
	for at, want := range map[int]bool{159: true, 163: false} {
		name := strings.Repeat("a", at%4) + strings.Repeat("𝐀", at/4)
		if m := s.is().FindString(name + ": How?"); m == "" {
			t.Fatalf("%q is not a heading", name)
		}
		s.names = map[string]described.Class{name: described.User}
		if _, n := s.speaker([]byte(name + ": How?")); (n > 0) != want {
			t.Errorf("a heading with its sign at byte %d has %d bytes", at, n)
		}
	}
}

// TestOpeners: the first name of a text is the user, if it is short and not a known speaker.
func TestOpeners(t *testing.T) {
	s := sections{heading: headings[4]}
	for name, want := range map[string]bool{
		"Anna": true, "Anna B C": true, "A B C D": false, strings.Repeat("a", 40): true, strings.Repeat("a", 41): false, "User": false, "Assistant": false, "[10:01] Anna": false,
	} {
		if got := s.opener([]byte("\n" + name + ": Is it so?\nBen: Yes.\n"))[name] == described.User; got != want {
			t.Errorf("%q opens a conversation as the user: %v", name, got)
		}
	}
	if got := s.opener([]byte("Is it so?\nAnna: Yes.\n")); got != nil {
		t.Errorf("a text without a name is opened by %v", got)
	}
}
