package load

import (
	"context"
	"strings"

	"turns/model"
)

// Summary is what a session list says of a transcript. It is made from windows at
// its beginning and end, so that a folder of thousands is listed at once.
type Summary struct {
	Path     string        `json:"path"`
	Format   string        `json:"format"`
	Agent    string        `json:"agent"`   // title of the format
	Project  string        `json:"project"` // folder that the agent worked in
	Title    string        `json:"title"`   // as recorded, else the first prompt
	Session  string        `json:"session"` // recorded id
	Model    string        `json:"model"`
	Started  int64         `json:"started"` // Unix ms of the first record with a time; 0 unknown
	Last     int64         `json:"last"`    // of the last one
	Written  int64         `json:"written"` // of the last write to the file
	Bytes    int64         `json:"bytes"`
	Messages int           `json:"messages"`
	Calls    int           `json:"calls"`
	Errors   int           `json:"errors"`
	Tokens   int64         `json:"tokens"`   // recorded output
	Partial  bool          `json:"partial"`  // it was not read as a whole: the counts are lower bounds
	Estimate int           `json:"estimate"` // messages that a partial transcript likely has, by its size; 0 unknown
	Sessions int           `json:"sessions"` // conversations in the file
	Judged   int           `json:"judged"`   // those of several that have a score
	Passed   int           `json:"passed"`   // those that did well
	Ended    bool          `json:"ended"`
	Outcome  model.Outcome `json:"outcome"`
	Reason   string        `json:"reason"`
	Score    float64       `json:"score"`
	Scored   bool          `json:"scored"`
	Open     bool          `json:"open"`    // a call has no result, or an answer is due
	Running  string        `json:"running"` // tool of the last call without a result; "" for none
	Since    int64         `json:"since"`   // Unix ms of the message that waits for what is open, else of the last one; 0 unknown
}

// Summarise reads the windows of a transcript. Errors are those of opening it; a
// file that is no transcript gives the format records.
func Summarise(ctx context.Context, path string) (Summary, error) {
	l := newLister(&hints{}).summarised(ctx, byAge([]string{path})[0], nil)
	return l.Summary, l.Err
}

// fill says what a snapshot holds. Of a transcript whose middle was not read the
// rows from behind on lie after it: calls before may have their results there.
func (s *Summary) fill(ctx context.Context, snap *model.Snapshot, r *model.Reader, f *model.Format, behind model.ID) {
	s.Format, s.Agent = f.Name, f.Title
	sessions := snap.Sessions()
	se := &sessions[0]
	s.Project, s.Title, s.Session, s.Model = se.Field("cwd"), se.Field("title"), se.Field("session"), se.Field("model")
	s.Messages = snap.Len()
	s.conversations(sessions)
	s.Ended, s.Outcome, s.Reason, s.Score, s.Scored = se.Ended, se.Outcome, se.Reason, se.Score, se.Scored
	threads := snap.Threads()
	for n := range snap.Rows() {
		h := snap.HeadRow(model.ID(n))
		if t := h.Time; t != 0 && !threads[h.Thread].Apart {
			if s.Started == 0 || t < s.Started {
				s.Started = t
			}
			s.Last = max(s.Last, t)
		}
	}
	for _, id := range snap.LiveIDs() {
		if u, ok := snap.Tokens(id); ok && u.Output != model.NoTokens {
			s.Tokens += int64(u.Output)
		}
	}
	pending := model.NoID
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		if c.Msg != model.NoID && threads[snap.HeadRow(c.Msg).Thread].Apart {
			continue // of a subagent's file, which the list tells of by itself
		}
		if inherited(snap, c) {
			continue
		}
		s.Calls++
		if c.Outcome.Failed() {
			s.Errors++
		}
		if c.Result == model.NoID && c.Msg >= behind && c.Msg != model.NoID {
			pending, s.Running = c.Msg, snap.Name(c.Tool)
		}
	}
	s.Open = pending != model.NoID || !s.Ended && lastAsks(snap)
	if last := snap.Len() - 1; pending == model.NoID && last >= 0 {
		pending = snap.At(last)
	}
	if pending != model.NoID {
		s.Since = snap.HeadRow(pending).Time
	}
	if s.Title == "" {
		s.Title = firstPrompt(ctx, snap, r)
	}
}

// conversations counts those that have messages: what stands around the
// conversations of an evaluation is none.
func (s *Summary) conversations(sessions []model.Session) {
	for i := range sessions {
		if se := &sessions[i]; se.Count > 0 {
			s.Sessions++
			if se.Scored {
				s.Judged++
			}
			if se.Scored && se.Outcome == model.Success {
				s.Passed++
			}
		}
	}
	if s.Sessions = max(s.Sessions, 1); s.Sessions == 1 {
		s.Judged, s.Passed = 0, 0
	}
}

// estimate says how many messages there likely are, if the rest is as what was
// read.
func (s *Summary) estimate(read int64) {
	if s.Messages > 0 && read > 0 {
		s.Estimate = int(float64(s.Messages) * float64(s.Bytes) / float64(read))
	}
}

// lastAsks reports whether the last message wants an answer.
func lastAsks(snap *model.Snapshot) bool {
	if snap.Len() == 0 {
		return false
	}
	h := snap.HeadRow(snap.At(snap.Len() - 1))
	return h.Role == model.User || h.Role == model.Tool
}

// firstPrompt is the first prompt as a line; where there is none, as in a stream
// that holds the answers only, the command that was called instead, else the first
// words that anybody says, the system last.
func firstPrompt(ctx context.Context, snap *model.Snapshot, r *model.Reader) string {
	words, command := model.NoID, ""
	for _, id := range snap.LiveIDs() {
		flags := snap.HeadRow(id).Flags
		if flags&model.Prompt != 0 {
			if line := promptLine(ctx, snap, r, id); line != "" {
				return line
			}
		}
		if flags&model.HasWords == 0 {
			continue
		}
		if command == "" && flags&model.Injected != 0 {
			command = calledCommand(promptLine(ctx, snap, r, id))
		}
		if words == model.NoID || snap.HeadRow(words).Role == model.System && snap.HeadRow(id).Role != model.System {
			words = id
		}
	}
	if command != "" {
		return command
	}
	if words == model.NoID {
		return ""
	}
	return promptLine(ctx, snap, r, words)
}

// promptLength is how much of a prompt is shown as a title, in bytes.
const promptLength = 400

// promptLine is the beginning of a message's content as one line.
func promptLine(ctx context.Context, snap *model.Snapshot, r *model.Reader, id model.ID) string {
	blocks, err := r.Blocks(ctx, id)
	if err != nil {
		return ""
	}
	results := snap.HeadRow(id).Role == model.Tool
	var text []byte
	for i, said := 0, false; i < len(blocks) && len(text) <= promptLength; i++ {
		b := &blocks[i]
		if b.Text.IsNull() || b.Kind != model.Words && (b.Kind != model.ToolResult || !results) {
			continue
		}
		if said {
			text = append(text, '\n')
		}
		said = true
		text = b.Text.AppendBegin(text, promptLength+1)
	}
	if len(text) > promptLength {
		return model.CleanLine(strings.ToValidUTF8(string(text[:promptLength]), ""))
	}
	return model.CleanLine(string(text))
}
