package shape

import (
	"bytes"
	"cmp"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// media writes an image, a sound or a file as a part of a content. A place does not contain the
// type of an image.
func (s *shaper) media(o *Object, b *model.Block) {
	mime, text := b.Name.String(), b.Text
	kind, format, _ := strings.Cut(mime, "/")
	o.Open('{')
	switch {
	case kind == "image":
		o.String("type", "image_url")
		o.OpenObject("image_url")
		s.dataURL(o, "url", mime, text)
		if format != "" && isPlace(text) && !text.HasPrefix("data:") {
			o.String("media_type", mime)
		}
		o.Close("}")
	case kind == "audio" && !isPlace(text):
		o.String("type", "input_audio")
		o.OpenObject("input_audio")
		s.textField(o, "data", text)
		o.String("format", strings.TrimPrefix(cmp.Or(format, "wav"), "x-"))
		o.Close("}")
	default:
		o.String("type", "file")
		o.OpenObject("file")
		switch {
		case text.IsNull():
		case isPlace(text) && !text.HasPrefix("data:"):
			s.textField(o, "file_id", text)
		default:
			s.dataURL(o, "file_data", mime, text)
		}
		o.Close("}")
	}
	o.Close("}")
}

// dataURL writes base64 as a data: URL, and a location unchanged.
func (s *shaper) dataURL(o *Object, name, mime string, t model.Text) {
	o.Key(name)
	o.Buf = append(o.Buf, '"')
	if !isPlace(t) && !t.Empty() {
		if !strings.Contains(mime, "/") {
			mime = provider.TypeOfData(string(t.Raw()[:min(len(t.Raw()), 256)]), mime)
		}
		o.Buf = model.AppendInside(o.Buf, []byte("data:"+mime+";base64,"))
	}
	o.Buf = s.inside(o.Buf, t)
	o.Buf = append(o.Buf, '"')
}

// isPlace reports whether a media text is a URL, a path or an id instead of base64 data.
func isPlace(t model.Text) bool {
	raw := t.Raw()
	if bytes.IndexByte(raw[:min(len(raw), 30)], ':') >= 0 {
		return true
	}
	return len(raw) < 100 && (len(raw)%4 != 0 || bytes.ContainsAny(raw, "-_. "))
}
