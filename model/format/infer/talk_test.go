package infer

import (
	"strings"
	"testing"
)

// TestTalk reads conversations in invented layouts, and checks where it finds the questions and
// answers, or the speakers and texts.
func TestTalk(t *testing.T) {
	for _, test := range []struct{ name, path, data, want string }{
		{"questions and answers of a chat", "chat_history.json", `[{"question":"How do I reset it?","answer":"Hold the small button for ten seconds."}]`, "exchange question > answer"},
		{"questions and answers of a data set", "faq_chat.json", `[{"question":"How do I reset it?","answer":"Hold the small button for ten seconds."}]`, ""},
		{"questions and answers of anything", "x.json", `[{"question":"How do I reset it?","answer":"Hold the small button for ten seconds."}]`, ""},
		{"questions and answers with a time", "x.json", `[{"at":"2026.01.05-10:00:01","question":"How do I reset it?","answer":"Hold the small button for ten seconds."}]`, "exchange question > answer"},
		{"questions and answers with a day", "x.json", `[{"day":"2026.01.05","question":"How do I reset it?","answer":"Hold the small button for ten seconds."}]`, ""},
	} {
		s := sampleOf([]byte(test.data))
		s.Path = test.path
		got := ""
		if found := Talk(s, saying()); found != nil {
			got = saidOf(found)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestLateSpeakers: a speaker who appears after the sample has the role of the others.
func TestLateSpeakers(t *testing.T) {
	found := Talk(sampleOf([]byte(`[{"sender":"bot","text":"How can I help you?"},{"sender":"Ada","text":"The lamp is broken."},{"sender":"bot","text":"Which one is it?"},{"sender":"Ada","text":"It is the red one."}]`)), saying())
	if found == nil || found.Format.Roles["Ada"] != "user" || found.Format.Roles["*"] != "user" {
		t.Errorf("Ada is a user, and a later speaker has no role: %+v", found)
	}
}

// saidOf returns the paths of the first rule of messages.
func saidOf(found *Found) string {
	for _, r := range found.Format.Rules {
		switch r.As {
		case "exchange":
			return strings.TrimSuffix(r.As+" "+join(r.At, r.Request)+" > "+r.Reply, " > ")
		case "message", "dialogue":
			return strings.TrimSuffix(r.As+" "+r.At+" "+r.Role+": "+r.Text, ": ")
		}
	}
	return ""
}
