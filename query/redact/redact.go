// Package redact finds secrets in text and replaces them.
//
// Conversations with agents are full of private text: an .env
// file, a header of a curl command, a private key in a tool's output. A Redactor finds text in the
// documented shape of a vendor's keys (rules.go lists them), and values with a name such as
// password, and replaces each by "[redacted:rule]":
//
//	r := redact.New()
//	out, n := r.RedactString("export API_KEY=…")
//
// It finds the text a reader sees: colours, characters without width and escapes of JSON within a
// secret do not hide it.
//
// It works on text, on the bytes of JSON and on text quoted in JSON repeatedly (\\\"password\\\"):
// quotes, escapes and structure do not change, so valid JSON or UTF-8 remains valid.
//
// How it works: one pass checks every four bytes against a table of the beginnings of all rules
// (scan.go); only matches run a handwritten matcher (rules.go, shapes.go, named.go). Matchers
// never backtrack or read the same bytes twice, so hostile text cannot make it slow, and text
// without secrets costs little more than reading it. Package regexp would be the bottleneck of
// every export.
//
// False alarms harm the reader, so hashes, identifiers, names of variables, references to the
// environment and placeholders ("sk-...", "<your key>", "********") are not replaced.
package redact

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// Rule is one kind of credential.
type Rule struct {
	ID          string // name in the replacement
	Description string
}

// Finding is a secret in a text: text[Start:End], without its name and quotes.
type Finding struct {
	Rule       string // ID of the rule
	Start, End int    // byte offsets
	With       string // replacement of a name; "" for a secret
	kind       Kind
}

// Redactor finds credentials. It is immutable and safe for concurrent use.
type Redactor struct {
	secrets *table     // nil: secrets stay
	seen    *sync.Pool // memory for the visible forms of texts
	names   *Names     // nil: names stay
	counts  bool       // names only counts secrets
}

// New returns a Redactor with all rules.
func New() *Redactor { return &Redactor{secrets: allRules(), seen: newSeen()} }

func newSeen() *sync.Pool { return &sync.Pool{New: func() any { return new(seen) }} }

// Find returns the secrets and names in text, in order and without overlaps.
func (r *Redactor) Find(text []byte) []Finding {
	s := scan{text: text}
	r.scan(&s)
	r.findSeen(&s, r.scan)
	return r.settle(s.found)
}

// Redact appends text to dst with every secret and name replaced, and returns the number of
// secrets.
func (r *Redactor) Redact(dst, text []byte) ([]byte, int) {
	text, secrets := r.replaced(text, r.Find(text))
	return append(dst, text...), secrets
}

// replaced returns text with its findings replaced, and the number of secrets among them.
func (r *Redactor) replaced(text []byte, found []Finding) ([]byte, int) {
	total, secrets := 0, 0
	// A replacement creates a new boundary, so it may uncover another credential. Every finding
	// removes bytes that no later round restores: a text of n bytes has at most n findings.
	for n := len(text); len(found) > 0 && total < n; {
		total += len(found)
		secrets += r.count(text, found)
		text = replace(text, found)
		found = r.Find(text)
	}
	return text, secrets
}

// count returns the number of secrets among findings, and counts the names.
func (r *Redactor) count(text []byte, found []Finding) (secrets int) {
	for _, f := range found {
		if f.With == "" {
			if secrets++; r.names != nil {
				r.names.count(Secret, "", f.Rule)
			}
			continue
		}
		r.names.count(f.kind, string(text[f.Start:f.End]), f.With)
	}
	return secrets
}

// RedactString is Redact for strings; it returns a string without secrets unchanged.
func (r *Redactor) RedactString(text string) (string, int) {
	b := []byte(text)
	found := r.Find(b)
	if len(found) == 0 {
		return text, 0
	}
	out, n := r.replaced(b, found)
	return string(out), n
}

func replace(text []byte, found []Finding) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	at := 0
	for _, f := range found {
		out.Write(text[at:f.Start])
		if f.With != "" {
			out.WriteString(f.With)
		} else {
			out.WriteString(marker)
			out.WriteString(f.Rule)
			out.WriteByte(']')
		}
		at = f.End
	}
	out.Write(text[at:])
	return out.Bytes()
}

const marker = "[redacted:"

// hit is a finding that may overlap others.
type hit struct {
	start, end, rule int
	with             string // replacement of a name
}

// settle joins overlapping findings, so that no part of either remains. The longer one determines
// the rule; of two with the same bytes, the one listed first, which is the more specific.
func (r *Redactor) settle(hits []hit) []Finding {
	if len(hits) == 0 {
		return nil
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(a.start-b.start, b.end-a.end, a.rule-b.rule)
	})
	var found []Finding
	for _, h := range hits {
		if n := len(found); n > 0 && h.start < found[n-1].End {
			found[n-1].End = max(found[n-1].End, h.end)
			continue
		}
		f := Finding{Start: h.start, End: h.end, With: h.with}
		if h.rule >= nameRules {
			f.kind = Kind(h.rule - nameRules)
			f.Rule = f.kind.String()
		} else {
			f.Rule = r.secrets.rules[h.rule].ID
		}
		found = append(found, f)
	}
	return found
}
