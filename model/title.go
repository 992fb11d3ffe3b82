package model

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Titles finds titles for the conversations of a snapshot.
type Titles struct {
	snap   *Snapshot
	reader *Reader
	live   [][]ID // by conversation
}

// NewTitles prepares titles without reading any texts. r reads them later; nil: a new reader.
func NewTitles(s *Snapshot, r *Reader) *Titles {
	if r == nil {
		r = s.NewReader()
	}
	t := &Titles{snap: s, reader: r, live: make([][]ID, len(s.ix.Sessions))}
	if len(t.live) == 1 {
		t.live[0] = s.LiveIDs()
		return t
	}
	for _, id := range s.LiveIDs() {
		n := s.ix.Threads[s.HeadRow(id).Thread].Session
		t.live[n] = append(t.live[n], id)
	}
	return t
}

// Of returns the title of a conversation as one line: the recorded one, or the first prompt that
// states a task. Numbers, a yes and commands for the agent do not. If no prompt does, it returns
// the subject of the first commit, then the first prompt, then the command called in its place,
// then the first words of any message, the system's last.
func (t *Titles) Of(ctx context.Context, session int) string {
	return t.title(ctx, session, t.live[session])
}

// Whole returns the title of the snapshot: that of its first conversation, or the first prompt of
// any conversation that states a task.
func (t *Titles) Whole(ctx context.Context) string { return t.title(ctx, 0, t.snap.LiveIDs()) }

func (t *Titles) title(ctx context.Context, session int, ids []ID) string {
	s, r := t.snap, t.reader
	if title := s.ix.Sessions[session].Field("title"); title != "" {
		return title
	}
	words, command, little := NoID, "", ""
	for _, id := range ids {
		h := s.HeadRow(id)
		if h.Flags&Prompt != 0 {
			line := promptLine(ctx, r, id, h)
			if StatesTask(line) {
				return line
			}
			little = cmp.Or(little, line)
		}
		if h.Flags&HasWords == 0 {
			continue
		}
		if command == "" && h.Flags&Injected != 0 {
			command = CalledCommand(promptLine(ctx, r, id, h))
		}
		if words == NoID || s.HeadRow(words).Role == System && h.Role != System {
			words = id
		}
	}
	if little != "" {
		return cmp.Or(t.commit(ctx, ids), little)
	}
	switch {
	case command != "" && StatesTask(command):
		return command
	case command != "":
		return cmp.Or(t.commit(ctx, ids), command)
	case words != NoID:
		return promptLine(ctx, r, words, s.HeadRow(words))
	}
	return ""
}

// StatesTask reports whether a prompt states a task: it is more than a command for the agent, a
// one-word shell command, a number or a yes.
func StatesTask(line string) bool {
	words, letters, first := 0, 0, true
	for w := range strings.FieldsSeq(line) {
		command := first && w[0] == '/' && !strings.Contains(w[1:], "/")
		if first = false; command {
			continue
		}
		words++
		for _, r := range w {
			if unicode.IsLetter(r) {
				letters++
			}
			if r >= 0x2e80 { // a sign of such a script is a word
				letters += 3
			}
		}
	}
	return letters >= 8 || words > 1 && letters >= 5
}

// commitsWithin limits the messages to search for a commit.
const commitsWithin = 200

// commit returns the subject of the first commit that a call makes, otherwise of the first task for
// a subagent; "" if there is none.
func (t *Titles) commit(ctx context.Context, ids []ID) string {
	task := ""
	for _, id := range ids[:min(len(ids), commitsWithin)] {
		if t.snap.HeadRow(id).Flags&HasCalls == 0 {
			continue
		}
		blocks, err := t.reader.Blocks(ctx, id)
		if err != nil {
			continue
		}
		for i := range blocks {
			if b := &blocks[i]; b.Kind == ToolCall && !b.Text.IsNull() {
				args := string(b.Text.AppendBegin(nil, 4<<10))
				if subject := commitSubject(args); subject != "" {
					return subject
				}
				if task == "" {
					task = taskSubject(args)
				}
			}
		}
	}
	return task
}

// taskSubjects finds the subject of a task in the arguments of the call that passes it to a
// subagent, next to a prompt.
var taskSubjects = regexp.MustCompile(`"description"\s*:\s*"((?:[^"\\]|\\.){8,200})"`)

func taskSubject(args string) string {
	m := taskSubjects.FindStringSubmatch(args)
	if m == nil || !strings.Contains(args, `"prompt"`) {
		return ""
	}
	subject, err := strconv.Unquote(`"` + m[1] + `"`)
	if err != nil {
		return ""
	}
	return CleanLine(subject)
}

// commitSubjects finds the message of a commit in the arguments of a call, which are JSON.
var commitSubjects = regexp.MustCompile(`git commit\b[^\n]*? -[a-z]*m \\*["'](?:\$\(cat <<[-\\"']*\w+[\\"']*\\+n)?([^"'\\\n]{8,})`)

func commitSubject(args string) string {
	if m := commitSubjects.FindStringSubmatch(args); m != nil {
		return CleanLine(strings.TrimSpace(m[1]))
	}
	return ""
}

// promptLength limits the part of a prompt in a title, in bytes.
const promptLength = 400

// promptLine returns the beginning of a message's content as one line.
func promptLine(ctx context.Context, r *Reader, id ID, h *Head) string {
	blocks, err := r.Blocks(ctx, id)
	if err != nil {
		return ""
	}
	results := h.Role == Tool
	var text []byte
	for i, found := 0, false; i < len(blocks) && len(text) <= promptLength; i++ {
		b := &blocks[i]
		if b.Text.IsNull() || b.Kind != Words && (b.Kind != ToolResult || !results) {
			continue
		}
		if found {
			text = append(text, '\n')
		}
		found = true
		text = b.Text.AppendBegin(text, promptLength+1)
	}
	if len(text) > promptLength {
		return CleanLine(CutWords(string(text), promptLength))
	}
	return CleanLine(string(text))
}

// CalledCommand returns the command as typed, from a line with elements for it:
// <command-name>/review</command-name>; "" for any other line.
func CalledCommand(line string) string {
	if !strings.HasPrefix(line, "<command-") {
		return ""
	}
	name, args := element(line, "command-name"), element(line, "command-args")
	if name == "" {
		return ""
	}
	return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + args)
}

// element returns the content of the first element with a name.
func element(line, name string) string {
	_, inside, _ := strings.Cut(line, "<"+name+">")
	inside, _, closed := strings.Cut(inside, "</"+name+">")
	if !closed {
		return ""
	}
	return strings.TrimSpace(inside)
}
