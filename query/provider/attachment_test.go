package provider

import (
	"testing"

	"turns/model"
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
