package kit

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// MediaType returns the media type for the short name that APIs use for a format, empty if the name
// is unknown.
func MediaType(short string) model.Text { return mediaTypes[short] }

// mediaTypes has texts, so that using one needs no allocation.
var mediaTypes = map[string]model.Text{
	"wav": model.StringText("audio/wav"), "mp3": model.StringText("audio/mpeg"), "pcm16": model.StringText("audio/pcm"),
	"png": model.StringText("image/png"), "jpeg": model.StringText("image/jpeg"), "jpg": model.StringText("image/jpeg"),
	"gif": model.StringText("image/gif"), "webp": model.StringText("image/webp"), "pdf": model.StringText("application/pdf"),
	"image": model.StringText("image"), "audio": model.StringText("audio"), "video": model.StringText("video"), "file": model.StringText("file"),
	"text": model.StringText("text/plain"),
}

// AddMedia adds an image, sound or file. mime is its media type if known, v the raw value of its
// data or place: base64, a data: URL or any other URL or id. The block's Size is that of the
// decoded bytes.
func AddMedia(f *model.Fact, id, mime model.Text, v []byte) {
	m := f.Add(model.Media)
	m.ID, m.Name, m.Text = id, mime, model.ValueText(v)
	s := Inside(v)
	if typ, data, ok := cutDataURL(s); ok {
		m.Name, m.Size = model.EscapedText(typ), decodedSize(data)
		return
	}
	if len(s) > 0 && !isPlace(s) {
		m.Size = decodedSize(s)
	}
}

// cutDataURL splits data:image/png;base64,… into its parts.
func cutDataURL(s []byte) (mime, data []byte, ok bool) {
	if !hasPrefixFold(s, "data:") {
		return nil, nil, false
	}
	comma := bytes.IndexByte(s, ',')
	if comma < 0 {
		return nil, nil, false
	}
	mime = s[5:comma]
	if i := bytes.IndexByte(mime, ';'); i >= 0 {
		mime = mime[:i]
	}
	return mime, s[comma+1:], true
}

// decodedSize returns the decoded size of a base64 text.
func decodedSize(s []byte) int64 {
	n := len(s) * 3 / 4
	for i := 0; i < 2 && len(s) > 0 && s[len(s)-1] == '='; i++ {
		s = s[:len(s)-1]
		n--
	}
	return int64(n)
}

// isPlace reports whether s is a URL, a path or an identifier rather than base64 data.
func isPlace(s []byte) bool {
	return bytes.Contains(s[:min(len(s), 30)], []byte(":")) || len(s) < 100
}

// addMediaBlock adds a content block that is an image, sound or file; v is the complete block.
func addMediaBlock(f *model.Fact, id model.Text, b *BlockFields, v []byte) {
	mime := MediaTypeOf(b)
	text := documentText(b)
	if string(b.Typ) == "document" && id.IsNull() {
		first := len(f.Blocks)
		list := jsonspan.Get(b.source, "content")
		switch {
		case text != nil:
			f.AddText(model.Words, model.ValueText(text))
		case jsonspan.KindOf(list) == jsonspan.Array:
			AddContent(f, list)
		}
		context := jsonspan.Get(v, "context")
		if len(f.Blocks) > first {
			asDocument(f.Blocks[first:], b.title, context)
			return
		}
		KeepNumbered(f, "title", b.title)
		KeepNumbered(f, "context", context)
	}
	switch {
	case text != nil: // its result has it
	case b.source != nil:
		AddSource(f, id, mime, b.source)
	case IsString(b.media):
		AddMedia(f, id, mime, b.media)
	case b.media != nil:
		AddSource(f, id, mime, b.media)
	case b.Data != nil:
		AddMedia(f, id, mime, b.Data)
	case b.Text != nil:
		AddMedia(f, id, mime, b.Text)
	default:
		AddMedia(f, id, mime, v)
	}
}

// asDocument marks the texts of a document. The first block has its title and its context.
func asDocument(blocks []model.Block, title, context []byte) {
	for i := range blocks {
		if blocks[i].Kind == model.Words {
			blocks[i].Name = documentName
		}
	}
	for i, v := range [...][]byte{title, context} {
		if !IsEmpty(v) {
			blocks[0].Extra = append(blocks[0].Extra, model.Field{Name: [...]string{"title", "context"}[i], Value: model.ValueText(v)})
		}
	}
}

// documentName needs no allocation.
var documentName = model.StringText(model.DocumentText)

// documentText returns the text of a document that was sent as text, not as a file; nil for any
// other block.
func documentText(b *BlockFields) []byte {
	if string(b.Typ) != "document" {
		return nil
	}
	name := "data"
	switch string(jsonspan.GetString(b.source, "type")) {
	case "text":
	case "content":
		name = "content"
	default:
		return nil
	}
	if text := jsonspan.Get(b.source, name); IsString(text) {
		return text
	}
	return nil
}

// MediaTypeOf returns the recorded media type, or the one that the type of the block implies.
func MediaTypeOf(b *BlockFields) model.Text {
	if IsString(b.Mime) {
		return model.ValueText(b.Mime)
	}
	for _, kind := range [...]string{"image", "audio", "video"} {
		if bytes.Contains(b.Typ, []byte(kind)) {
			return MediaType(kind)
		}
	}
	return MediaType("file")
}

// AddSource adds the media that an object describes: {type, media_type, data},
// {url}, {file_id}, {data, format}, {file_data, filename}.
func AddSource(f *model.Fact, id, mime model.Text, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		AddMedia(f, id, mime, v)
		return
	}
	var place, content []byte
	var size int64
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "media_type", "mime_type", "mimeType":
			if s := c.Skip(); IsString(s) {
				mime = model.ValueText(s)
			}
		case "format":
			if t := MediaType(string(c.String())); !t.Empty() {
				mime = t
			}
		case "url", "uri":
			if s := c.Skip(); !IsNull(s) {
				place = s
			}
		case "data", "file_data", "base64":
			if s := c.Skip(); !IsNull(s) {
				place, size = s, decodedSize(Inside(s))
			}
		case "file_id", "id", "fileId":
			if s := c.Skip(); place == nil && !IsNull(s) {
				place = s
			}
		case "filename", "file_name":
			Keep(f, "filename", c.Skip())
		case "content", "transcript":
			content = c.Skip()
		default:
			c.Skip()
		}
	}
	place = Or(place, content, v)
	AddMedia(f, id, mime, place)
	if m := &f.Blocks[len(f.Blocks)-1]; m.Size == 0 && !mime.HasPrefix("text/") {
		m.Size = size
	}
}
