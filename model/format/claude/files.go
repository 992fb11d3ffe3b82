package claude

import (
	"turns/model"
	"turns/model/jsonspan"
)

// claudeFiles holds the file fields of toolUseResult: originalFile and structuredPatch of a write
// or an edit, and file of a read.
type claudeFiles struct {
	before, patch, path, seen, seenPath []byte
	first, total                        int32
}

// readSeen reads a read's {filePath, content, startLine, numLines, totalLines}.
func (t *claudeFiles) readSeen(c *jsonspan.Cursor) {
	if c.Kind() != jsonspan.Object {
		c.Skip()
		return
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "filePath":
			t.seenPath = c.Skip()
		case "content":
			t.seen = c.Skip()
		case "startLine":
			t.first = claudeLineNumber(c.Skip())
		case "totalLines":
			t.total = claudeLineNumber(c.Skip())
		default:
			c.Skip()
		}
	}
}

func (t *claudeFiles) readPatch(c *jsonspan.Cursor) []byte {
	t.patch = c.Skip()
	return t.patch
}

func claudeLineNumber(v []byte) int32 {
	n, ok := jsonspan.ParseInt(v)
	if !ok || n < 0 || n > 1<<30 {
		return 0
	}
	return int32(n)
}

// addTo adds the files to the fact of the result.
func (t *claudeFiles) addTo(f *model.Fact, call model.Text) {
	path := model.ValueText(t.path)
	if t.patch != nil || jsonspan.KindOf(t.before) == jsonspan.String {
		f.KeepFile(model.FileText{Kind: model.FileBefore, Call: call, Path: path, Text: model.ValueText(t.before)})
		f.KeepFile(model.FileText{Kind: model.FilePatch, Call: call, Path: path, Text: model.ValueText(t.patch)})
	}
	f.KeepFile(model.FileText{Kind: model.FileSeen, Call: call, Path: model.ValueText(t.seenPath), Text: model.ValueText(t.seen), First: t.first, Total: t.total})
}
