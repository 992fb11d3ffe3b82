package changes

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// BlameAnswer has the author of each line of a file.
type BlameAnswer struct {
	Version  int         `json:"version"`
	Path     string      `json:"path"`
	Sessions int         `json:"sessions"` // that wrote to the file
	Lines    []BlameLine `json:"lines"`

	zone *time.Location
}

// BlameLine is a line of a file and its author.
type BlameLine struct {
	Line      int              `json:"line"` // from 1
	Text      string           `json:"text"`
	Certainty Certainty        `json:"certainty"`
	Session   human.TextOrNull `json:"session"` // id as recorded
	Path      human.TextOrNull `json:"path"`    // of the transcript
	Agent     human.TextOrNull `json:"agent"`
	Message   human.Index      `json:"message"`
	Turn      human.Index      `json:"turn"`
	Prompt    human.TextOrNull `json:"prompt"`
	Model     human.TextOrNull `json:"model"`
	Time      human.Stamp      `json:"time"`
	// Also lists the transcripts of other sessions that wrote the same line.
	Also []string `json:"also"`
}

// NewBlame blames the lines from first to last of a file, from 1. shown is the path to show.
func NewBlame(match FileMatch, shown string, lines []string, first, last int, trails []*Trail, zone *time.Location) *BlameAnswer {
	a := &BlameAnswer{Version: human.AnswerVersion, Path: shown, Sessions: len(trails), Lines: []BlameLine{}, zone: zone}
	for i, b := range Blame(match, lines, trails) {
		if i+1 < first || i+1 > last {
			continue
		}
		l := BlameLine{Line: i + 1, Text: lines[i], Certainty: b.Certainty, Message: -1, Turn: -1, Also: []string{}}
		if b.Trail != nil {
			l.Session, l.Path, l.Agent = human.TextOrNull(b.Trail.Session), human.TextOrNull(b.Trail.Path), human.TextOrNull(b.Trail.Agent)
			l.Message, l.Turn, l.Time = human.Index(b.Author.Index), human.Index(b.Author.Turn), human.Stamp(b.Author.Time)
			l.Prompt, l.Model = human.TextOrNull(b.Author.Prompt), human.TextOrNull(b.Author.Model)
		}
		for _, t := range b.Also {
			l.Also = append(l.Also, t.Path)
		}
		a.Lines = append(a.Lines, l)
	}
	return a
}

// name returns a short name of the session of a line.
func (l *BlameLine) name() string {
	id := string(l.Session)
	if id == "" {
		id = strings.TrimSuffix(path.Base(string(l.Path)), path.Ext(string(l.Path)))
	}
	r := []rune(human.OneLine(id, 40))
	return string(r[:min(len(r), 8)])
}

// WriteJSON writes the answer as JSON.
func (a *BlameAnswer) WriteJSON(w io.Writer) error { return query.WriteJSON(w, a) }

// Doc describes each line with its author.
func (a *BlameAnswer) Doc() *answer.Doc {
	t := answer.NewTable(">", "", "", "=", "???", "").Cut(40, 4).Cut(100, 5)
	t.Columns[5].Kind = answer.Code
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.Path == "" {
			t.Add(strconv.Itoa(l.Line), l.Certainty.String(), human.NotSaid, "", "", l.Text)
			continue
		}
		by := l.name() + " " + human.OneLine(string(l.Agent), 16)
		if n := len(l.Also); n > 0 {
			by += " +" + human.Count(n)
		}
		t.Add(strconv.Itoa(l.Line), l.Certainty.String(), by, a.place(l), string(l.Prompt), l.Text)
	}
	d := &answer.Doc{}
	d.AddTable("", t)
	return d
}

// place returns the message of a line, its turn and its day.
func (a *BlameAnswer) place(l *BlameLine) string {
	s := place(l.Message)
	if l.Turn >= 0 {
		s += " turn " + strconv.Itoa(int(l.Turn))
	}
	if l.Time != 0 {
		s += " " + human.StampIn(int64(l.Time), a.zone, time.DateOnly)
	}
	return s
}

// WritePorcelain writes the lines like git blame --porcelain, with the certainty and the message as
// additional fields. The name of a version is a hash of its transcript and message.
func (a *BlameAnswer) WritePorcelain(w io.Writer) error {
	var b strings.Builder
	written := map[string]bool{}
	for i := range a.Lines {
		l := &a.Lines[i]
		id := strings.Repeat("0", 40)
		if l.Path != "" {
			id = fmt.Sprintf("%x", sha256.Sum256([]byte(string(l.Path)+"\x00"+strconv.Itoa(int(l.Message)))))[:40]
		}
		fmt.Fprintf(&b, "%s %d %d", id, l.Line, l.Line)
		if i == 0 || a.Lines[i-1].Path != l.Path || a.Lines[i-1].Message != l.Message {
			n := 1
			for i+n < len(a.Lines) && a.Lines[i+n].Path == l.Path && a.Lines[i+n].Message == l.Message {
				n++
			}
			fmt.Fprintf(&b, " %d", n)
		}
		b.WriteByte('\n')
		if !written[id] {
			written[id] = true
			l.porcelain(&b, a.Path)
		}
		fmt.Fprintf(&b, "certainty %s\n\t%s\n", l.Certainty, l.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (l *BlameLine) porcelain(b *strings.Builder, file string) {
	author := "unknown"
	if l.Path != "" {
		author = oneLine(string(l.Agent))
	}
	fmt.Fprintf(b, "author %s\nauthor-mail <%s>\nauthor-time %d\nauthor-tz +0000\nsummary %s\nfilename %s\n", author, oneLine(string(l.Model)),
		int64(l.Time)/1000, oneLine(string(l.Prompt)), oneLine(file))
	if l.Path != "" {
		fmt.Fprintf(b, "session %s\ntranscript %s\nmessage %d\n", oneLine(string(l.Session)), oneLine(string(l.Path)), l.Message)
	}
}

// oneLine returns a field without newlines.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
}

// agentTrace is a record of Agent Trace 0.1.0, see https://agent-trace.dev.
type agentTrace struct {
	Version   string           `json:"version"`
	ID        string           `json:"id"`
	Timestamp string           `json:"timestamp"`
	Tool      agentTraceTool   `json:"tool"`
	Files     []agentTraceFile `json:"files"`
}

type agentTraceTool struct {
	Name string `json:"name"`
}

type agentTraceFile struct {
	Path          string                   `json:"path"`
	Conversations []agentTraceConversation `json:"conversations"`
}

type agentTraceConversation struct {
	URL         string                `json:"url,omitempty"`
	Contributor agentTraceContributor `json:"contributor"`
	Ranges      []agentTraceRange     `json:"ranges"`
}

type agentTraceContributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id,omitempty"`
}

type agentTraceRange struct {
	Start int `json:"start_line"`
	End   int `json:"end_line"`
}

// WriteAgentTrace writes a record of Agent Trace with the certain and likely lines of sessions. now
// is its time.
func (a *BlameAnswer) WriteAgentTrace(w io.Writer, now time.Time) error {
	r := agentTrace{Version: "0.1.0", Timestamp: now.UTC().Format(time.RFC3339), Tool: agentTraceTool{"turns"}}
	f := agentTraceFile{Path: a.Path, Conversations: []agentTraceConversation{}}
	at := map[[2]string]int{}
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.Path == "" {
			continue
		}
		key := [2]string{string(l.Path), string(l.Model)}
		n, ok := at[key]
		if !ok {
			n = len(f.Conversations)
			at[key] = n
			f.Conversations = append(f.Conversations, agentTraceConversation{URL: "file://" + string(l.Path), Contributor: agentTraceContributor{"ai", modelID(string(l.Model))}})
		}
		c := &f.Conversations[n]
		if k := len(c.Ranges) - 1; k >= 0 && c.Ranges[k].End == l.Line-1 {
			c.Ranges[k].End = l.Line
		} else {
			c.Ranges = append(c.Ranges, agentTraceRange{l.Line, l.Line})
		}
	}
	r.Files = []agentTraceFile{f}
	sum := sha256.Sum256([]byte(a.Path + r.Timestamp + fmt.Sprint(f)))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8
	r.ID = fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	return query.WriteJSON(w, r)
}

// modelVendors maps prefixes of model names to vendors.
var modelVendors = [...][2]string{{"claude", "anthropic"}, {"gpt", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"}, {"codex", "openai"}, {"gemini", "google"}, {"grok", "xai"}}

// modelID returns a model's name with its vendor, as in Agent Trace.
func modelID(model string) string {
	for _, v := range modelVendors {
		if strings.HasPrefix(model, v[0]) {
			return v[1] + "/" + model
		}
	}
	return model
}
