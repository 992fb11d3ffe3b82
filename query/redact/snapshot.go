package redact

import "turns/model"

// Snapshot returns the conversation without its secrets: whatever describes, cuts or compares its
// texts never sees one. Texts are redacted when they are read.
func Snapshot(s *model.Snapshot) *model.Snapshot { return s.Mapped(New().String) }

// String returns text with every secret replaced.
func (r *Redactor) String(text string) string {
	text, _ = r.RedactString(text)
	return text
}

// Summary replaces the secrets in what a list shows of a session.
func (r *Redactor) Summary(s *model.Summary) {
	for _, text := range [...]*string{&s.Title, &s.Project, &s.Session, &s.Starter, &s.Model, &s.Reason, &s.Running, &s.Tools, &s.Same} {
		*text = r.String(*text)
	}
}
