package export

import (
	"bytes"
	"cmp"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// media writes an image, a sound or a file as a part of a content.
func (s *shaper) media(o *object, b *model.Block) {
	mime, text := b.Name.String(), b.Text
	kind, format, _ := strings.Cut(mime, "/")
	o.open('{')
	switch {
	case kind == "image":
		o.string("type", "image_url")
		o.key("image_url")
		o.open('{')
		s.dataURL(o, "url", mime, text)
		o.close('}')
	case kind == "audio" && !isPlace(text):
		o.string("type", "input_audio")
		o.key("input_audio")
		o.open('{')
		s.textField(o, "data", text)
		o.string("format", strings.TrimPrefix(cmp.Or(format, "wav"), "x-"))
		o.close('}')
	default:
		o.string("type", "file")
		o.key("file")
		o.open('{')
		switch {
		case text.IsNull():
		case isPlace(text) && !text.HasPrefix("data:"):
			s.textField(o, "file_id", text)
		default:
			s.dataURL(o, "file_data", mime, text)
		}
		o.close('}')
	}
	o.close('}')
}

// dataURL writes base64 as a data: URL, and a place as it is.
func (s *shaper) dataURL(o *object, name, mime string, t model.Text) {
	o.key(name)
	o.buf = append(o.buf, '"')
	if !isPlace(t) && !t.Empty() {
		if !strings.Contains(mime, "/") {
			mime = provider.TypeOfData(string(t.Raw()[:min(len(t.Raw()), 256)]), mime)
		}
		o.buf = model.AppendInside(o.buf, []byte("data:"+mime+";base64,"))
	}
	o.buf = s.inside(o.buf, t)
	o.buf = append(o.buf, '"')
}

// isPlace reports whether a media text is a URL, a path or an id rather than
// base64 data.
func isPlace(t model.Text) bool {
	raw := t.Raw()
	if bytes.IndexByte(raw[:min(len(raw), 30)], ':') >= 0 {
		return true
	}
	return len(raw) < 100 && (len(raw)%4 != 0 || bytes.ContainsAny(raw, "-_. "))
}
