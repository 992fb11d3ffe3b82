package provider

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"turns/model"
)

// Attachment is an image, a sound or a file in a form that can be sent: its data, a public URL, or
// the id from a provider. Exactly one of the three is set.
type Attachment struct {
	MIME string // media type as far as known: image/png, image
	Data string // base64
	URL  string
	ID   string
	Name string // of the file
}

// AttachmentOf reads a media block. It returns nil without data to send: the block has only a
// path on the user's disk, or its data were removed.
func AttachmentOf(c *model.Content) *Attachment {
	a := &Attachment{MIME: plainType(c.Name)}
	text := strings.TrimSpace(c.Text)
	if text == "" && c.Size > 0 { // the data remained in their record
		a.Data = "..."
		if !strings.Contains(a.MIME, "/") {
			a.MIME = TypeOfData("", a.MIME)
		}
		return a
	}
	if rest, ok := cutPrefixFold(text, "data:"); ok {
		head, body, ok := strings.Cut(rest, ",")
		mime, encoded := strings.CutSuffix(head, ";base64")
		if !ok || !encoded {
			return nil
		}
		mime, _, _ = strings.Cut(mime, ";")
		if text = body; mime != "" {
			a.MIME = plainType(mime)
		}
	} else {
		for _, scheme := range [...]string{"https://", "http://", "gs://", "s3://"} {
			if _, ok := cutPrefixFold(text, scheme); ok && !strings.ContainsAny(text, " \n\t") {
				if a.URL = text; !strings.Contains(a.MIME, "/") {
					a.MIME = typeOfName(text, a.MIME)
				}
				return a
			}
		}
		for _, start := range [...]string{"file-", "file_", "files/"} {
			if rest, ok := strings.CutPrefix(text, start); ok && isWord(rest) {
				a.ID = text
				return a
			}
		}
	}
	shortest := 8 // a word could also be data
	if strings.Contains(a.MIME, "/") {
		shortest = 2
	}
	if a.Data = standardBase64(text); len(a.Data) < shortest {
		return nil
	}
	if !strings.Contains(a.MIME, "/") {
		a.MIME = TypeOfData(a.Data, a.MIME)
	}
	return a
}

// plainType returns the name of a media type that providers use.
func plainType(mime string) string {
	mime = strings.ToLower(mime)
	return cmp.Or(mimeTypes[mime], mime)
}

// mimeTypes maps alternative names of media types to the usual ones.
var mimeTypes = map[string]string{"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// isWord reports whether s could be the rest of an id.
func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// standardBase64 returns base64 data in the alphabet and with the padding that all providers
// accept, "" if s is invalid.
func standardBase64(s string) string {
	if strings.ContainsAny(s, "\r\n \t") {
		s = strings.Join(strings.Fields(s), "")
	}
	if strings.ContainsAny(s, "-_") {
		s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
	}
	s = strings.TrimRight(s, "=")
	if len(s)%4 == 1 {
		return ""
	}
	s += "=="[:(4-len(s)%4)%4]
	if _, err := base64.StdEncoding.DecodeString(s); err != nil {
		return ""
	}
	return s
}

// typeOfName returns the type of a file by the extension of its name.
func typeOfName(name, kind string) string {
	name, _, _ = strings.Cut(name, "?")
	ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if mime := map[string]string{
		"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "pdf": "application/pdf",
		"wav": "audio/wav", "mp3": "audio/mpeg", "mp4": "video/mp4",
	}[ext]; mime != "" && (kind == "" || kind == "file") {
		return mime
	}
	return kind
}

// TypeOfData guesses the media type of a file from the first bytes of its base64. kind is the
// known part of the type: image, audio.
func TypeOfData(data, kind string) string {
	for _, g := range [...]struct{ start, mime string }{
		{"iVBOR", "image/png"}, {"/9j/", "image/jpeg"}, {"R0lGOD", "image/gif"}, {"UklGR", "image/webp"}, {"JVBER", "application/pdf"},
	} {
		if strings.HasPrefix(data, g.start) {
			return g.mime
		}
	}
	switch kind {
	case "image":
		return "image/png"
	case "audio":
		return "audio/wav"
	}
	if head, err := base64.StdEncoding.DecodeString(data[:min(len(data), 256)/4*4]); err == nil && len(head) > 0 && isText(head) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// isText reports whether the beginning of a file is text.
func isText(head []byte) bool {
	for i := 0; i < 3 && len(head) > 0 && !utf8.Valid(head); i++ {
		head = head[:len(head)-1] // a cut character
	}
	return utf8.Valid(head) && !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}

// Accept is a kind of media that a provider accepts: the beginning of its media type, and whether
// it may be a URL or an id instead of data.
type Accept struct {
	Type    string
	URL, ID bool
}

// takesMedia reports whether a provider accepts an attachment in a message of a role.
func (p *Provider) takesMedia(a *Attachment, role model.Role) bool {
	switch {
	case a == nil, role == model.System, role == model.Developer, role == model.Assistant && !p.MediaByModel:
		return false
	case a.URL != "" && !slices.ContainsFunc(p.URLs, func(start string) bool { return strings.HasPrefix(a.URL, start) }):
		return false
	}
	return slices.ContainsFunc(p.Media, func(accept Accept) bool {
		if !accept.takes(a.MIME) {
			return false
		}
		return a.Data != "" && strings.Contains(a.MIME, "/") && strings.Contains(cmp.Or(accept.Type, "/"), "/") || a.URL != "" && accept.URL || a.ID != "" && accept.ID
	})
}

// takes reports whether a media type is of the accepted kind: image/png matches image/ and
// image/png; the bare type image matches only image.
func (a *Accept) takes(mime string) bool {
	return a.Type == "" || a.Type == mime || strings.HasSuffix(a.Type, "/") && strings.HasPrefix(mime, a.Type) ||
		!strings.Contains(a.Type, "/") && strings.HasPrefix(mime, a.Type+"/")
}

// Placeholder returns words in place of an image, a sound or a file that cannot be written.
func Placeholder(b *WireBlock) string {
	what := cmp.Or(b.Name, "file")
	name := ""
	if b.File != nil {
		name = cmp.Or(b.File.Name, b.File.URL+b.File.ID)
	} else if len(b.Text) < 200 && !strings.HasPrefix(b.Text, "data:") {
		name = b.Text
	}
	if name != "" {
		name = " " + name
	}
	return fmt.Sprintf("(%s%s was here; it is not included)", what, name)
}
