package redact

import "turns/model"

// Snapshot returns the conversation without its secrets: code that describes, cuts or compares its
// texts never receives one. It redacts texts on reading.
func Snapshot(s *model.Snapshot) *model.Snapshot { return s.Mapped(New().String) }

// String returns text with every secret replaced.
func (r *Redactor) String(text string) string {
	text, _ = r.RedactString(text)
	return text
}

// Summary replaces the secrets in a session's row of a list.
func (r *Redactor) Summary(s *model.Summary) {
	for _, text := range [...]*string{&s.Title, &s.Project, &s.Session, &s.Starter, &s.Model, &s.Reason, &s.Running, &s.Tools, &s.Same} {
		*text = r.String(*text)
	}
}
