package dialect

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// takeApart splits a result recorded as content blocks into its words and its media. It leaves any
// other value unchanged.
func takeApart(r *provider.WireBlock) {
	if !r.JSON {
		return
	}
	v := []byte(strings.TrimSpace(r.Text))
	var list [][]byte
	switch jsonspan.KindOf(v) {
	case jsonspan.Object:
		if jsonspan.Get(v, "kind") == nil { // PydanticAI's media are objects
			return
		}
		list = [][]byte{v}
	case jsonspan.Array:
		c := jsonspan.New(v)
		for c.Array(); c.More(); {
			list = append(list, c.Skip())
		}
		if c.Err != nil {
			return
		}
	}
	var texts []string
	var media []provider.WireBlock
	known := 0
	for _, block := range list {
		text, found := blockText(block)
		if found {
			known++
			texts = append(texts, text)
			continue
		}
		if file := mediaBlock(block); file != nil && file.Text != "" {
			known++
			media = append(media, *file)
			continue
		}
		if jsonspan.KindOf(block) != jsonspan.Object {
			return // a value in the tool's format
		}
		texts = append(texts, string(block))
	}
	if known > 0 {
		r.Text, r.JSON, r.Null, r.Media = strings.Join(texts, "\n"), false, false, media
	}
}

// blockText returns the text of a content block, in the notations of all providers.
func blockText(v []byte) (text string, ok bool) {
	switch string(jsonspan.GetString(v, "type")) {
	case "text", "input_text", "output_text":
	default:
		return "", false
	}
	for _, name := range [...]string{"text", "value", "content"} {
		if text := jsonspan.Get(v, name); jsonspan.KindOf(text) == jsonspan.String {
			return model.ValueText(text).String(), true
		}
	}
	return "", false
}

// mediaPlaces are the paths in a content block to its data, its URL or its id.
var mediaPlaces = [...][]string{
	{"source", "data"}, {"source", "url"}, {"source", "file_id"}, {"image_url", "url"}, {"image_url"}, {"input_audio", "data"},
	{"file", "file_data"}, {"file", "file_id"}, {"file_data"}, {"file_url"}, {"file_id"}, {"inlineData", "data"}, {"fileData", "fileUri"},
	{"data", "data"}, {"data", "url"}, {"data"}, {"base64"}, {"blob"}, {"image"}, {"url"},
}

var (
	typePlaces = [...][]string{
		{"source", "media_type"}, {"inlineData", "mimeType"}, {"fileData", "mimeType"}, {"media_type"}, {"mediaType"}, {"mimeType"}, {"mime_type"},
	}
	namePlaces = [...][]string{{"filename"}, {"file", "filename"}, {"title"}, {"inlineData", "displayName"}}
)

// firstAt returns the first string at one of the paths.
func firstAt(v []byte, places [][]string) string {
	for _, path := range places {
		if s := jsonspan.Get(v, path...); jsonspan.KindOf(s) == jsonspan.String {
			return model.ValueText(s).String()
		}
	}
	return ""
}

// mediaBlock reads a content block with an image, a sound or a file; nil for other blocks.
func mediaBlock(v []byte) *provider.WireBlock {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return nil
	}
	kind := string(jsonspan.GetString(v, "type"))
	if kind == "" {
		kind = string(jsonspan.GetString(v, "kind")) // PydanticAI
	}
	switch {
	case kind == "" && (jsonspan.Get(v, "inlineData") != nil || jsonspan.Get(v, "fileData") != nil):
	case kind == "binary" || kind == "media" || kind == "document":
		kind = "file"
	case strings.Contains(kind, "image"):
		kind = "image"
	case strings.Contains(kind, "audio"):
		kind = "audio"
	case strings.Contains(kind, "video"):
		kind = "video"
	case strings.Contains(kind, "file") || kind == "document-url":
		kind = "file"
	default:
		return nil
	}
	b := &provider.WireBlock{Content: model.Content{Kind: model.Media, Name: cmp.Or(firstAt(v, typePlaces[:]), kind), Text: firstAt(v, mediaPlaces[:])}, Raw: v}
	b.File = fileOf(b)
	return b
}

// fileOf returns the sendable form of a media block, with the recorded name.
func fileOf(b *provider.WireBlock) *provider.Attachment {
	file := provider.AttachmentOf(&b.Content)
	if file != nil {
		file.Name = firstAt(b.Raw, namePlaces[:])
	}
	return file
}

// sameFile reports whether the recorded file is that of the block: media of one message are
// identified by their content.
func sameFile(b *provider.WireBlock) bool {
	if b.File == nil {
		return false
	}
	raw := mediaBlock(b.Raw)
	return raw != nil && raw.File != nil && raw.File.Data == b.File.Data && raw.File.URL == b.File.URL && raw.File.ID == b.File.ID
}
