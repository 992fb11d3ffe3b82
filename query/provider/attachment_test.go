package provider

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func TestAttachmentOf(t *testing.T) {
	for _, tt := range []struct {
		mime, text string
		want       Attachment // empty: none
	}{
		{"image", "iVBORw0KGgo=", Attachment{MIME: "image/png", Data: "iVBORw0KGgo="}},
		{"image", "iVBORw0KGgo", Attachment{MIME: "image/png", Data: "iVBORw0KGgo="}},
		{"image", "data:image/jpg;base64,/9j_4AAQ", Attachment{MIME: "image/jpeg", Data: "/9j/4AAQ"}},
		{"image", "https://x.y/a.png", Attachment{MIME: "image", URL: "https://x.y/a.png"}},
		{"file", "https://x.y/a.pdf?v=1", Attachment{MIME: "application/pdf", URL: "https://x.y/a.pdf?v=1"}},
		{"application/pdf", "gs://b/a.pdf", Attachment{MIME: "application/pdf", URL: "gs://b/a.pdf"}},
		{"file", "file-abc123", Attachment{MIME: "file", ID: "file-abc123"}},
		{"image", "mllm_demo_data/1.jpg", Attachment{}},
		{"image", "file-service://file-abc", Attachment{}},
		{"image/png", "<redacted>", Attachment{}},
		{"image/png", "iVBORw0KGgo…", Attachment{}},
		{"image/png", "", Attachment{}},
		{"image/png", "data:;base64,iVBORw0KGgo=", Attachment{MIME: "image/png", Data: "iVBORw0KGgo="}},
		{"file", "QUJDREVG", Attachment{MIME: "text/plain", Data: "QUJDREVG"}},
		{"", "QUJDREVG", Attachment{MIME: "text/plain", Data: "QUJDREVG"}},
		{"file", "QUJD", Attachment{}}, // perhaps a word
		{"file", "file-.x", Attachment{}},
		{"file", "file-_aA09zZ-", Attachment{MIME: "file", ID: "file-_aA09zZ-"}},
	} {
		got := AttachmentOf(&model.Content{Kind: model.Media, Name: tt.mime, Text: tt.text})
		if tt.want == (Attachment{}) {
			if got != nil {
				t.Errorf("%q is %+v", tt.text, *got)
			}
		} else if got == nil || *got != tt.want {
			t.Errorf("%q is %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

// TestRemainingData: data that remained in their record have a size and no text.
func TestRemainingData(t *testing.T) {
	if got := AttachmentOf(&model.Content{Kind: model.Media, Name: "image", Size: 9}); got == nil || *got != (Attachment{MIME: "image/png", Data: "..."}) {
		t.Errorf("an image of 9 bytes is %+v", got)
	}
	for data, want := range map[string]string{
		"": "application/octet-stream", "aGVsbG8gIQoJDQ==": "text/plain", "AAECAwQF": "application/octet-stream", "aGkfaGkf": "application/octet-stream",
	} {
		if got := TypeOfData(data, "file"); got != want {
			t.Errorf("%q is of the type %s, want %s", data, got, want)
		}
	}
}

// TestAnnouncedMessages: the server of AgentSmithy reports how many messages a conversation has.
func TestAnnouncedMessages(t *testing.T) {
	for _, c := range []struct {
		format string
		field  model.KeyValue
		want   int
	}{
		{"agentsmithy", model.KeyValue{Name: "total_messages", Value: "3"}, 1}, {"agentsmithy", model.KeyValue{Name: "total_messages", Value: "2"}, 0},
		{"agentsmithy", model.KeyValue{Name: "total_messages", Value: "many"}, 0}, {"agentsmithy", model.KeyValue{Name: "has_more", Value: "true"}, 1},
		{"agentsmithy", model.KeyValue{Name: "has_more", Value: "false"}, 0}, {"openai", model.KeyValue{Name: "total_messages", Value: "3"}, 0},
	} {
		g := querytest.NewGrowing()
		g.Ix.Sources = []model.Source{{Format: c.format}}
		g.Ix.Sessions[0].Fields = []model.KeyValue{c.field}
		g.Add(model.Head{Op: model.Say})
		g.Add(model.Head{Op: model.Say})
		if got := announced(query.Everything(g.Snapshot())); len(got) != c.want {
			t.Errorf("%s with %+v has the problems %+v, want %d", c.format, c.field, got, c.want)
		}
	}
}

// TestValidNames: an accepted id or name does not change; any other becomes an accepted one.
func TestValidNames(t *testing.T) {
	for _, p := range All() {
		r := &Repairer{p: p}
		for n := 1; n < 200; n++ {
			text := strings.Repeat("x", n)
			if got := r.validID(text); p.idOK(text) && got != text || !p.idOK(got) {
				t.Errorf("%s: the id of %d letters becomes %q", p.Name, n, got)
			}
			if got := p.validName(text); p.nameOK(text) && got != text || !p.nameOK(got) {
				t.Errorf("%s: the name of %d letters becomes %q", p.Name, n, got)
			}
		}
	}
	for limit, want := range map[int]string{0: "abcdef_2", 8: "abcdef_2", 7: "abcde_2"} {
		if got := newTakenIDs().free("abcdef", limit); got != want {
			t.Errorf("a free id of at most %d bytes is %q, want %q", limit, got, want)
		}
	}
}

func TestTakesMedia(t *testing.T) {
	image := &Attachment{MIME: "image/png", Data: "iVBORw0KGgo="}
	link := &Attachment{MIME: "image", URL: "https://x.y/a"}
	bucket := &Attachment{MIME: "application/pdf", URL: "gs://b/a.pdf"}
	for _, tt := range []struct {
		provider string
		file     *Attachment
		role     model.Role
		want     bool
	}{
		{"openai", image, model.User, true}, {"openai", link, model.User, true}, {"openai", bucket, model.User, false},
		{"openai", image, model.Assistant, false}, {"openai", nil, model.User, false},
		{"anthropic", image, model.Tool, true}, {"anthropic", &Attachment{MIME: "image/bmp", Data: "Qk1234=="}, model.User, false},
		{"gemini", bucket, model.Assistant, true}, {"sharegpt", image, model.User, false},
		{"atif", image, model.User, false}, {"atif", link, model.User, true},
	} {
		p := providerNamed(t, tt.provider)
		if got := p.takesMedia(tt.file, tt.role); got != tt.want {
			t.Errorf("%s takes %+v of the %s: %t", tt.provider, tt.file, tt.role, got)
		}
	}
}
