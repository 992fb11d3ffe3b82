package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/human"
)

// Lifecycle is the name of the rules for messages of Agent C: their states, the chains of
// replacements, and the outcomes in the work log.
const Lifecycle = "agent-c"

// lifecycleCode is the prefix of the codes of its problems.
const lifecycleCode = "lifecycle-"

// The values that Agent C accepts, and the states to which a message may change from each state.
var (
	lifecycleRoles    = []string{"user", "assistant", "system", "tool"}
	lifecycleOutcomes = []string{"success", "failure", "partial", "pending"}
	lifecycleWeights  = []string{"critical", "high", "medium", "low", "verbose"}
	lifecycleStates   = map[string][]string{
		"active":      {"active", "invalidated", "superseded", "archived"},
		"invalidated": {"invalidated", "archived"},
		"superseded":  {"superseded", "archived"},
		"archived":    {"archived"},
	}
)

// managed has the fields that the rules check. Those of unchecked types are raw.
type managed struct {
	ID            string          `json:"id"`
	Role          json.RawMessage `json:"role"`
	Interaction   json.RawMessage `json:"interaction_id"`
	State         json.RawMessage `json:"validity_state"`
	InvalidatedBy json.RawMessage `json:"invalidated_by"`
	SupersededBy  json.RawMessage `json:"superseded_by"`
	Context       json.RawMessage `json:"tool_context"`
	Created       string          `json:"created_at"`
	Updated       string          `json:"updated_at"`
	Content       json.RawMessage `json:"content"`

	Entry   string                     `json:"entry_id"` // of a line of the work log
	Outcome json.RawMessage            `json:"outcome_status"`
	Weights map[string]json.RawMessage `json:"parameter_metadata"`
}

// managedBlock is a block of such a message.
type managedBlock struct {
	Type       string                     `json:"type"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Importance map[string]json.RawMessage `json:"parameter_importance"`
	Metadata   json.RawMessage            `json:"work_log_metadata"`
	Execution  json.RawMessage            `json:"execution_context"`
	Outcome    json.RawMessage            `json:"outcome_status"`
	Took       json.RawMessage            `json:"execution_time"`
	Error      json.RawMessage            `json:"error_details"`
	Confidence json.RawMessage            `json:"confidence_level"`
}

// lifecycle checks messages one after another.
type lifecycle struct {
	list  []Problem
	last  *byte // the record of the previous message: one record may be read as two messages
	ids   map[string]managedAt
	order []string  // ids with a replacement
	plain []Problem // messages without an interaction: a problem if others have one
	named bool
}

// managedAt is the state of a message by its id.
type managedAt struct {
	index       int
	msg         model.ID
	state, next string
}

func newLifecycle() *lifecycle { return &lifecycle{ids: map[string]managedAt{}} }

func (l *lifecycle) problem(m *model.Message, code, hint, format string, args ...any) {
	l.list = append(l.list, Problem{Index: human.Index(m.Pos), msg: m.ID, Code: lifecycleCode + code, Problem: fmt.Sprintf(format, args...), Hint: hint, Providers: []string{Lifecycle}})
}

// add checks a message by its record.
func (l *lifecycle) add(m *model.Message) {
	if len(m.Records) != 1 || len(m.Records[0].Data) == 0 || &m.Records[0].Data[0] == l.last {
		return
	}
	data := m.Records[0].Data
	l.last = &data[0]
	var r managed
	_ = json.Unmarshal(data, &r) // skip values of wrong types
	if r.Entry != "" {
		l.entry(m, &r)
		return
	}
	if name, ok := text(r.Role); !ok || !slices.Contains(lifecycleRoles, name) {
		l.problem(m, "role", "roles are "+strings.Join(lifecycleRoles, ", "), "the role %s is unknown", shown(r.Role))
	}
	l.interaction(m, &r)
	state := l.state(m, &r)
	l.repeats(m, &r, state)
	if !absent(r.Context) && !isKind(r.Context, '{') {
		l.problem(m, "tool-context", "it holds what the work log knows of the tool", "tool_context is no object: %s", shown(r.Context))
	}
	if created, ok := moment(r.Created); ok {
		if updated, ok := moment(r.Updated); ok && updated.Before(created) {
			l.problem(m, "updated", "updated_at is not before created_at", "the message was updated before it was created")
		}
	}
	var blocks []managedBlock
	_ = json.Unmarshal(r.Content, &blocks)
	for i := range blocks {
		l.block(m, &blocks[i])
	}
}

// interaction checks the id of the interaction; messages of the older form have none.
func (l *lifecycle) interaction(m *model.Message, r *managed) {
	switch id, ok := text(r.Interaction); {
	case absent(r.Interaction):
		l.problem(m, "interaction", "each message belongs to an interaction", "the message names no interaction")
		l.plain, l.list = append(l.plain, l.list[len(l.list)-1]), l.list[:len(l.list)-1]
	case !ok || strings.TrimSpace(id) == "" || strings.ContainsAny(id, " \t\n"):
		l.problem(m, "interaction", "it is one word", "the interaction id %s is not one word", shown(r.Interaction))
	default:
		l.named = true
	}
}

// state checks the state of a message against the recorded reason for its end.
func (l *lifecycle) state(m *model.Message, r *managed) string {
	state, ok := text(r.State)
	if absent(r.State) {
		state, ok = "active", true
	}
	if _, known := lifecycleStates[state]; !ok || !known {
		l.problem(m, "state", "states are active, invalidated, superseded, archived", "the validity state %s is unknown", shown(r.State))
		return ""
	}
	switch {
	case state == "active" && !absent(r.InvalidatedBy):
		l.problem(m, "active", "what is invalidated is not active", "the message is active and was invalidated by %s", shown(r.InvalidatedBy))
	case state == "active" && !absent(r.SupersededBy):
		l.problem(m, "active", "what is superseded is not active", "the message is active and was superseded by %s", shown(r.SupersededBy))
	case state == "invalidated" && absent(r.InvalidatedBy):
		l.problem(m, "invalidated", "invalidated_by names the tool", "the message is invalidated, and nothing says by what")
	case state == "superseded" && absent(r.SupersededBy):
		l.problem(m, "superseded", "superseded_by names the message", "the message is superseded, and nothing says by what")
	}
	return state
}

// repeats checks the change of state in a message with the id of an earlier one.
func (l *lifecycle) repeats(m *model.Message, r *managed, state string) {
	if r.ID == "" {
		return
	}
	next, _ := text(r.SupersededBy)
	before, again := l.ids[r.ID]
	if again && before.state != "" && state != "" && !slices.Contains(lifecycleStates[before.state], state) {
		l.problem(m, "transition", "what no longer holds does not come back", "the message with the id %q was %s in message %d, and is %s now", r.ID, before.state, before.index, state)
	}
	if again && before.state == state {
		l.problem(m, "duplicate-id", "each message has an id of its own", "the id %q is that of message %d, too", r.ID, before.index)
	}
	if next != "" && before.next == "" {
		l.order = append(l.order, r.ID)
	}
	l.ids[r.ID] = managedAt{m.Pos, m.ID, state, next}
}

func (l *lifecycle) block(m *model.Message, b *managedBlock) {
	l.outcome(m, b.Outcome)
	if !absent(b.Confidence) {
		if x, ok := number(b.Confidence); !ok || x < 0 || x > 1 {
			l.problem(m, "confidence", "it lies between 0 and 1", "the confidence of the reasoning is %s", shown(b.Confidence))
		}
	}
	if !absent(b.Took) {
		if x, ok := number(b.Took); !ok || x < 0 {
			l.problem(m, "execution-time", "it is a number of seconds", "the execution time is %s", shown(b.Took))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Importance)) {
		if x, ok := number(b.Importance[name]); !ok || x < 1 || x > 10 || x != float64(int(x)) {
			l.problem(m, "importance", "it is a whole number from 1 to 10", "the importance of the parameter %q is %s", name, shown(b.Importance[name]))
		}
		if _, ok := b.Parameters[name]; !ok {
			l.problem(m, "importance", "the call has no such parameter", "an importance is told of the parameter %q, which is not there", name)
		}
	}
	for _, v := range []json.RawMessage{b.Metadata, b.Execution} {
		if !absent(v) && !isKind(v, '{') {
			l.problem(m, "metadata", "what the work log is told is an object", "the metadata of a call is no object: %s", shown(v))
		}
	}
	if outcome, _ := text(b.Outcome); b.Type == "tool_result" && (outcome == "success" || outcome == "") && !absent(b.Error) {
		l.problem(m, "outcome", "a failure says so in its outcome", "the result is a success with error details: %s", shown(b.Error))
	}
}

func (l *lifecycle) outcome(m *model.Message, v json.RawMessage) {
	if name, ok := text(v); !absent(v) && (!ok || !slices.Contains(lifecycleOutcomes, name)) {
		l.problem(m, "outcome", "outcomes are "+strings.Join(lifecycleOutcomes, ", "), "the outcome %s is unknown", shown(v))
	}
}

// entry checks a line of the work log.
func (l *lifecycle) entry(m *model.Message, r *managed) {
	l.outcome(m, r.Outcome)
	for _, name := range slices.Sorted(maps.Keys(r.Weights)) {
		if weight, ok := text(r.Weights[name]); !ok || !slices.Contains(lifecycleWeights, weight) {
			l.problem(m, "importance", "it is one of "+strings.Join(lifecycleWeights, ", "), "the importance of the parameter %q is %s", name, shown(r.Weights[name]))
		}
	}
}

// finish follows the replacements when all messages are known.
func (l *lifecycle) finish() []Problem {
	if l.named { // otherwise all are of the older form
		l.list = append(l.list, l.plain...)
	}
	// the end of the chain from an id: "end", "circle", or the missing id
	ends := map[string]string{}
	for _, id := range l.order {
		at := l.ids[id]
		m := &model.Message{Pos: at.index, ID: at.msg}
		switch end := l.end(id, ends); end {
		case chainEnds, "":
		case chainTurns:
			l.problem(m, "chain", "a chain ends with a message that holds", "the message is superseded by %q, and the chain from there goes in a circle", at.next)
		default:
			l.problem(m, "chain", "the message is missing", "the message is superseded by %q, and no message has that id", end)
		}
	}
	return l.list
}

// The ends of chains.
const (
	chainEnds  = "\x00end"
	chainTurns = "\x00circle"
)

// end returns how the chain from a message ends. It visits each message once.
func (l *lifecycle) end(id string, ends map[string]string) string {
	var path []string
	end := ""
	for end == "" {
		known, walked := ends[id]
		at, there := l.ids[id]
		switch {
		case walked && known == "":
			end = chainTurns
		case walked:
			end = known
		case !there:
			end = id
		case at.next == "":
			end = chainEnds
		default:
			ends[id] = ""
			path = append(path, id)
			id = at.next
		}
	}
	for i, id := range path {
		ends[id] = end
		if end != chainEnds && end != chainTurns && i < len(path)-1 {
			ends[id] = chainEnds // the last of them names the missing one
		}
	}
	if len(path) > 0 {
		return ends[path[0]]
	}
	return end
}

func absent(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

func isKind(v json.RawMessage, begins byte) bool {
	v = bytes.TrimSpace(v)
	return len(v) > 0 && v[0] == begins
}

func text(v json.RawMessage) (s string, ok bool) {
	ok = isKind(v, '"') && json.Unmarshal(v, &s) == nil
	return s, ok
}

func number(v json.RawMessage) (x float64, ok bool) {
	ok = json.Unmarshal(v, &x) == nil
	return x, ok
}

// shown formats a value for a problem.
func shown(v json.RawMessage) string {
	return fmt.Sprintf("%.60s", strings.Join(strings.Fields(string(v)), " "))
}

func moment(s string) (time.Time, bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
