package kit

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// The variants of records: how the content is split.
const (
	recordsLines = iota
	recordsDocument
	recordsList
	recordsProse
)

var recordsText = model.StringText("text")

// RecordsFormat returns the fallback for files without a conversation: every record is a folded row
// that the user can open and search.
func RecordsFormat() *model.Format {
	return &model.Format{
		Name:    "records",
		Highest: 70,
		Title:   "Raw records",
		Detect:  recordsDetect,
		Lists:   recordsLists,
		Split:   recordsSplit,
		Parse:   RecordsParse,
	}
}

func recordsDetect(s *model.Sample) model.Match {
	m := model.Match{Score: 1, Reason: "no conversation was recognised: "}
	switch s.Shape {
	case model.Lines:
		m.Variant = recordsLines
		m.Reason += "its JSON lines have neither roles nor the fields of a known agent"
	case model.Document:
		m.Variant = recordsDocument
		if jsonspan.KindOf(s.Doc) == jsonspan.Array {
			m.Variant = recordsList
		}
		switch {
		case IsGraph(s):
			m.Reason += "the JSON document is the graph of a workflow: nodes with their places, and what connects them"
		default:
			m.Reason += "the JSON document holds no list of messages that a known format has"
		}
	case model.Prose:
		m.Variant = recordsProse
		m.Reason += "it is text, not JSON, and has no headings of a known agent"
	case model.Database:
		m.Reason += "the database has no tables of a known agent"
	case model.Archive:
		m.Reason += "the archive has no members of a known agent"
	case model.Folder:
		m.Reason += "the folder has no files of a known agent"
	default:
		m.Variant = recordsProse
		m.Reason += "it is binary data"
	}
	return m
}

// IsGraph reports whether a sample is an agent or a workflow as a graph, as n8n, Flowise, Langflow
// and Dify save it. Its texts are prompts and names of fields, never messages.
func IsGraph(s *model.Sample) bool {
	return s.Shape == model.Document && graph(s.Doc) || s.Shape == model.Lines && len(s.Records) == 1 && graph(s.Records[0])
}

var graph = Meets(
	"nodes[].position & edges|connections",
	"data.nodes[].position & data.edges",
	"graph.nodes[].position & graph.edges",
	"workflow.graph.nodes[].position & workflow.graph.edges",
)

func recordsLists(m model.Match) []string {
	if m.Variant == recordsList {
		return []string{WholeList}
	}
	return nil
}

func recordsSplit(m model.Match) model.Splitter {
	if m.Variant == recordsProse {
		return recordsLine{}
	}
	return nil
}

// recordsLine splits text into lines. It skips blank lines and cuts very long ones.
type recordsLine struct{}

// recordsLineMax is the maximum length of a line: text without line breaks must not be in memory as
// a whole.
const recordsLineMax = 1 << 20

// Split cuts one line.
func (recordsLine) Split(buf []byte, eof bool) (model.Record, int) {
	n := bytes.IndexByte(buf, '\n') + 1
	if n == 0 {
		if !eof && len(buf) < recordsLineMax {
			return model.Record{}, 0
		}
		n = len(buf)
	}
	line := bytes.TrimRight(buf[:n], "\r\n")
	if len(bytes.TrimSpace(line)) == 0 {
		line = nil
	}
	return model.Record{Variant: recordsProse, Data: line}, n
}

// RecordsParse turns a record of any shape into a note, shown as recorded.
func RecordsParse(rec model.Record, fs *model.Facts) error {
	if rec.Variant == recordsList && rec.List == "" {
		fs.Add(model.About) // the rest of a document that is a list
		c := jsonspan.New(rec.Data)
		c.Skip()
		return Finish(&c, fs)
	}
	f := fs.Add(model.Note)
	if rec.Variant == recordsProse {
		f.Name = recordsText
		f.AddText(model.Words, model.PlainText(rec.Data))
		return nil
	}
	f.Name = RecordName
	c := jsonspan.New(rec.Data)
	f.AddText(model.Words, model.ValueText(c.Skip()))
	return Finish(&c, fs)
}
