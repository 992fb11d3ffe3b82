package session

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Judgement describes how a session ended and why, and the place that shows it.
type Judgement struct {
	State model.RunState `json:"state"`
	Why   string         `json:"why"`   // "" if unknown
	Cause string         `json:"cause"` // Why without the introductory words

	At    model.ID     `json:"-"` // message to show, NoID for none
	Call  model.CallID `json:"-"` // its call, NoRow for none
	Index human.Index  `json:"index"`

	Unresolved int     `json:"unresolved_errors"`
	Last       Trouble `json:"last_error"` // of these

	// Running replaces Why while the model is expected to go on; "" if the transcript decides
	Running string `json:"-"`

	Several int `json:"-"` // sessions in the file, if it has more than one
}

// Trouble is a failed call without a later success.
type Trouble struct {
	Tool     human.TextOrNull `json:"tool"`
	About    human.TextOrNull `json:"about"`
	Recorded human.TextOrNull `json:"said"`
	At       model.ID         `json:"-"`
	Call     model.CallID     `json:"-"`
	Index    human.Index      `json:"index"`
}

// lookedBack is the number of calls from the end that are searched for later successes. Earlier
// failures no longer matter.
const lookedBack = 400

// sameCalls is the minimum number of equal consecutive calls in a loop.
const sameCalls = 4

// judge is the state of a judgement.
type judge struct {
	ctx      context.Context
	snap     *model.Snapshot
	session  int
	live     bool
	pairs    *query.Pairs
	describe describe.Describer
	last     model.ID // last message of the main thread other than context
	asked    model.ID // the same without results after it
	final    model.ID // last message of the model with words
	v        Judgement
	loop     loop
	scored   bool // the reason comes from a score
}

// loop are the equal calls at the end.
type loop struct {
	key   string
	line  describe.Line
	n     int
	first model.ID
	last  model.ID
	over  bool
}

// Judge explains how a session of a snapshot ended. It reads the texts of failures, of the messages
// after them, and of the end. live means that the session is still being written.
func Judge(ctx context.Context, s *model.Snapshot, session int, live bool) (Judgement, error) {
	none := Judgement{At: model.NoID, Call: noCall, Index: -1}
	if session < 0 || session >= len(s.Sessions()) {
		return none, nil
	}
	out := s.Ending(session, 0)
	j := &judge{ctx: ctx, snap: s, session: session, live: live, pairs: query.NewPairs(s), describe: describe.NewDescriber(&s.Sessions()[session]),
		last: model.NoID, asked: model.NoID, final: model.NoID, v: none}
	j.v.State, j.scored = out.State, out.Scored
	if err := j.calls(); err != nil {
		return none, err
	}
	if j.last == model.NoID {
		j.v.Why, j.v.Cause = out.Reason, out.Reason
		return j.v, nil
	}
	if err := j.why(out.Reason); err != nil {
		return none, err
	}
	j.v.Index = human.Index(s.Pos(j.v.At))
	return j.v, nil
}

const noCall = model.CallID(model.NoRow)

// calls walks back from the end, through failures without a later success, and through equal calls.
func (j *judge) calls() error {
	live, threads := j.snap.LiveIDs(), j.snap.Threads()
	good := map[string]bool{}
	failing, looked := j.failing(), 0
	for i := len(live) - 1; i >= 0 && looked < lookedBack; i-- {
		id := live[i]
		h := j.snap.HeadRow(id)
		if th := &threads[h.Thread]; int(th.Session) != j.session || !th.Main {
			continue
		}
		if j.asked == model.NoID && h.Role != model.System && h.Role != model.Developer &&
			(h.Flags&model.Injected == 0 || h.Flags&model.Interrupted != 0) {
			if j.last == model.NoID {
				j.last = id
			}
			if h.Role != model.Tool {
				j.asked = id
			}
		}
		if h.Role == model.Assistant && j.final == model.NoID && h.Flags&model.HasWords != 0 {
			j.final = id
		}
		if h.Flags&model.Prompt != 0 {
			j.loop.over = true
		}
		calls := query.CallsOf(j.snap, id)
		for n := len(calls) - 1; n >= 0; n-- {
			if looked++; len(failing) == 0 && j.loop.over {
				continue
			}
			if err := j.call(id, &calls[n], good, failing); err != nil {
				return err
			}
		}
	}
	return nil
}

// failing counts the failures near the end for each family of tools: calls of other families need
// not be read.
func (j *judge) failing() map[describe.Family]int {
	out := map[describe.Family]int{}
	looked := 0
	for i := j.snap.CallCount() - 1; i >= 0 && looked < 2*lookedBack; i-- {
		c := j.snap.Call(model.CallID(i))
		looked++
		if c.Outcome.Failed() && c.Flags&model.Carries == 0 {
			out[familyOf(j.snap.Name(c.Tool))]++
		}
	}
	return out
}

func (j *judge) call(id model.ID, c *model.CallRow, good map[string]bool, failing map[describe.Family]int) error {
	if c.Flags&model.Carries != 0 { // the calls inside it count
		return nil
	}
	family := familyOf(j.snap.Name(c.Tool))
	failed := c.Outcome.Failed()
	if j.loop.over && failing[family] == 0 {
		return nil
	}
	block, err := j.pairs.Read(j.ctx, c.ID)
	if err != nil || block.Call == nil {
		return err
	}
	line := j.describe.Call(block.Call, block.Result, block.Row)
	j.circle(id, &line)
	if failing[family] == 0 {
		return nil
	}
	if failed {
		failing[family]--
	}
	key := thing(family, &line)
	switch {
	case !failed:
		good[key] = true
	case !good[key]:
		if j.v.Unresolved++; j.v.Unresolved == 1 {
			j.v.Last = Trouble{human.TextOrNull(line.Word), human.TextOrNull(line.About), human.TextOrNull(cmp.Or(line.Outcome, c.Outcome.String())), id, c.ID, human.Index(j.snap.Pos(id))}
		}
		good[key] = true // a repetition is the same error
	}
	return nil
}

func (j *judge) circle(id model.ID, line *describe.Line) {
	l := &j.loop
	key := line.Word + "\x00" + line.About
	switch {
	case l.over:
	case l.n == 0:
		*l = loop{key: key, line: *line, n: 1, first: id, last: id}
	case l.key == key:
		l.n, l.first = l.n+1, id
	default:
		l.over = true
	}
}

// familyOf returns the family of a tool.
func familyOf(tool string) describe.Family {
	f, _, _ := describe.FamilyOf(tool)
	return f
}

// thing identifies the kind of a call and its subject: commands have the same subject if their
// first words are equal, other calls if the path or the complete text is.
func thing(f describe.Family, line *describe.Line) string {
	about := line.About
	switch {
	case line.Path[1] > line.Path[0] && line.Path[1] <= len(about):
		about = about[line.Path[0]:line.Path[1]]
	case f == describe.FamilyShell:
		words := strings.Fields(about)
		about = strings.Join(words[:min(len(words), 2)], " ")
	}
	return f.String() + "\x00" + about
}

// why explains the end of the session, and sets its place.
func (j *judge) why(reason string) error {
	m, err := j.pairs.Body(j.ctx, j.last)
	if err != nil {
		return err
	}
	words := describe.FirstWords(m)
	h := j.snap.HeadRow(j.last)
	j.v.At = j.last
	var open *describe.Line
	if j.v.State != model.RunFinished { // the call that ends a session may have no result
		if open, err = j.open(); err != nil {
			return err
		}
	}
	switch {
	case h.Flags&model.APIError != 0:
		j.say1("", cmp.Or(words, reason))
	case open != nil:
		j.waits(open)
	case j.v.State == model.RunInterrupted:
		return j.after("interrupted", "interrupted after: ", plainReason(reason))
	case j.v.State == model.RunFailed:
		return j.failed(plainReason(reason))
	case j.v.State == model.RunOpen && h.Role == model.User:
		j.say1(j.either("running: ", "no answer to "), quoted(words))
	case j.v.State == model.RunOpen:
		return j.after(j.either("running", "the model has not answered"), j.either("running, said last: ", "not answered; said last: "), "")
	case j.v.State == model.RunFinished:
		return j.after(j.either("waits for you", "finished"), j.either("waits for you: ", "finished: "), plainReason(reason))
	default:
		if j.live {
			if err := j.after("running", "running, said last: ", ""); err != nil {
				return err
			}
			j.v.Running = j.v.Why
		}
		return j.after(j.either("waits for you", "the record stops"), j.either("waits for you: ", "the record stops after: "), plainReason(reason))
	}
	j.more()
	return nil
}

// either returns the text for a live session or for an abandoned one.
func (j *judge) either(live, over string) string {
	if j.live {
		return live
	}
	return over
}

// say1 sets the explanation.
func (j *judge) say1(lead, cause string) { j.v.Why, j.v.Cause = lead+cause, cause }

// open returns the pending call at the end of the session, nil if there is none.
func (j *judge) open() (*describe.Line, error) {
	if j.asked == model.NoID {
		return nil, nil
	}
	for _, c := range query.CallsOf(j.snap, j.asked) {
		if !c.Pending() || c.Outcome.Failed() || c.Outcome == model.Background {
			continue
		}
		block, err := j.pairs.Read(j.ctx, c.ID)
		if err != nil || block.Call == nil {
			return nil, err
		}
		line := j.describe.Call(block.Call, block.Result, block.Row)
		j.v.At, j.v.Call = j.asked, c.ID
		return &line, nil
	}
	return nil, nil
}

func (j *judge) waits(line *describe.Line) {
	switch {
	case line.Family == describe.FamilyQuestion || describe.AsksHuman(line.Word):
		j.say1("waits for you: ", quoted(cmp.Or(line.About, line.Word)))
	default:
		j.say1(j.either("runs ", "no result of "), strings.TrimSpace(line.Word+" "+line.About))
	}
}

// failed explains the failure of a session: by the recorded reason, then the last error, otherwise
// the last words.
func (j *judge) failed(reason string) error {
	how := cmp.Or(reason, "failed")
	if t := &j.v.Last; j.v.Unresolved > 0 && j.loop.n < sameCalls {
		j.v.At, j.v.Call = t.At, t.Call
		j.say1(how+": ", t.String())
		if n := j.v.Unresolved - 1; n > 0 {
			j.v.Why += " · " + human.Count(n) + " more unresolved"
		}
		return nil
	}
	if id, ok := j.event(); ok && reason == "" {
		m, err := j.pairs.Body(j.ctx, id)
		if err != nil {
			return err
		}
		if words := describe.FirstWords(m); words != "" {
			j.v.At = id
			j.say1("failed: ", words)
			return nil
		}
	}
	return j.after(how, how+": ", "")
}

// event returns the last row with a recorded API error.
func (j *judge) event() (model.ID, bool) {
	for row := j.snap.Rows() - 1; row >= 0; row-- {
		id := j.snap.Row(row)
		if h := j.snap.HeadRow(id); h.Flags&model.APIError != 0 && int(j.snap.Threads()[h.Thread].Session) == j.session {
			return id, true
		}
	}
	return model.NoID, false
}

// circled reports the repetition of the same call.
func (j *judge) circled(reason string) {
	l := &j.loop
	j.v.At, j.v.Call = l.last, noCall
	j.say1(reason+"; the last "+human.Count(l.n)+" calls were one and the same: ",
		strings.TrimSpace(l.line.Word+" "+l.line.About)+" (#"+strconv.Itoa(j.snap.Pos(l.first))+" … #"+strconv.Itoa(j.snap.Pos(l.last))+")")
}

// after explains an end by the last words of the model, introduced by lead.
func (j *judge) after(how, lead, reason string) error {
	if reason != "" && reason != how {
		how, lead = reason, reason+": "
	}
	if j.scored { // the model's claim is not a reason
		lead = how + "; said last: "
	}
	if j.loop.n >= sameCalls && j.v.State != model.RunFinished {
		j.circled(how)
		return nil
	}
	words := ""
	if j.final != model.NoID {
		m, err := j.pairs.Body(j.ctx, j.final)
		if err != nil {
			return err
		}
		words = describe.AnswerWords(m)
	}
	if j.say1("", how); words != "" {
		j.v.At = j.final
		j.say1(lead, quoted(words))
	}
	j.more()
	return nil
}

// more adds the unresolved errors.
func (j *judge) more() {
	if j.v.Unresolved > 0 {
		j.v.Why += " · " + human.Plural(j.v.Unresolved, "error") + " unresolved, last: " + j.v.Last.String()
	}
}

// String describes the error: the failed call and its message.
func (t *Trouble) String() string {
	words := strings.TrimPrefix(string(t.Recorded), "error · ")
	s := strings.TrimSpace(string(t.Tool) + " " + human.OneLine(string(t.About), 60))
	if words != "" {
		s += ": " + words
	}
	if t.Index >= 0 {
		s += ", #" + strconv.Itoa(int(t.Index))
	}
	return s
}

// plainReason returns the reason in words, "" if it only repeats the state.
func plainReason(reason string) string {
	switch reason = human.Reason(reason); reason {
	case "interrupted", "API error":
		return ""
	}
	return reason
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return `"` + s + `"`
}
