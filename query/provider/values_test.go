package provider

import (
	"fmt"
	"testing"

	"turns/model"
)

// TestOtherNamesOfMediaTypes: providers get the usual name of a media type.
func TestOtherNamesOfMediaTypes(t *testing.T) {
	for name, want := range map[string]string{
		"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "IMAGE/PNG": "image/png",
	} {
		if got := plainType(name); got != want {
			t.Errorf("%s is sent as %s, want %s", name, got, want)
		}
	}
}

// TestValuesOfAgentC: each value that Agent C accepts passes the check, and any other is a problem.
func TestValuesOfAgentC(t *testing.T) {
	problems := func(record string) []Problem {
		l := newLifecycle()
		l.add(&model.Message{Records: []model.RecordText{{Data: []byte(record)}}})
		return l.finish()
	}
	for record, values := range map[string][]string{
		`{"role":"%s","interaction_id":"i","content":[]}`:            {"user", "assistant", "system", "tool"},
		`{"entry_id":"w","outcome_status":"%s"}`:                     {"success", "failure", "partial", "pending"},
		`{"entry_id":"w","parameter_metadata":{"p":"%s"}}`:           {"critical", "high", "medium", "low", "verbose"},
		`{"role":"user","interaction_id":"i","validity_state":"%s"}`: {"active", "archived"},
	} {
		for _, value := range values {
			if found := problems(fmt.Sprintf(record, value)); found != nil {
				t.Errorf("%s: %s", value, found[0].Problem)
			}
		}
		if found := problems(fmt.Sprintf(record, "unheard")); len(found) != 1 {
			t.Errorf("%d problems with any value in %s", len(found), record)
		}
	}
}
