package load

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
)

func TestExportsAsTheyAreDownloaded(t *testing.T) {
	samples := "../../testdata/formats/"
	for _, test := range []struct {
		format  string
		members map[string]string
	}{
		{"chatgpt", map[string]string{"chat.html": "", "conversations-000.json": "chatgpt/conversations.json", "conversations-001.json": "chatgpt/conversations.json"}},
		{"claude-ai", map[string]string{"users.json": "", "projects.json": "", "conversations.json": "claude-ai/conversations.json"}},
		{"open-webui", map[string]string{"chat-export-1.json": "open-webui/chats.json"}},
		{"claude-code", map[string]string{"session.jsonl": "claude-code/session.jsonl"}},
	} {
		t.Run(test.format, func(t *testing.T) {
			path, want, messages := filepath.Join(t.TempDir(), "export.zip"), 0, 0
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := zip.NewWriter(f)
			for name, sample := range test.members {
				data := []byte("<html></html>")
				if sample != "" {
					s := loadFile(t, samples+sample, Options{})
					want += len(s.Sessions())
					messages += s.Len()
					if data, err = os.ReadFile(samples + sample); err != nil {
						t.Fatal(err)
					}
				}
				m, err := w.Create(name)
				if err == nil {
					_, err = m.Write(data)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			s := loadFile(t, path, Options{})
			if s.Format() != test.format || len(s.Sessions()) != want || s.Len() != messages {
				t.Errorf("%s with %d conversations and %d messages, want %s, %d and %d", s.Format(), len(s.Sessions()), s.Len(), test.format, want, messages)
			}
		})
	}
}
