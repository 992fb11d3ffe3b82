package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/ui/transcripts"
)

// labelFlagSet is what turns label does besides what its words say.
type labelFlagSet struct {
	note, verdict, by, from string
	exit, dry, undo, list   bool
	to                      string // form of the list
	remove                  []string
}

func (a *app) labelCommand() *cobra.Command {
	var o labelFlagSet
	cmd := &cobra.Command{
		Use: "label FILE|DIR… [#LABEL|NAME=SCORE|+|-]…", Short: "Label sessions, messages and calls",
		Long: "Label a session or, with -q, --slice, --first and --last, each message or call that they select: " +
			"#word is a label, + and - are verdicts, word=3 is a score. turns stores labels in its data folder and never changes a transcript.\n\n" +
			"--list prints labels: all of them, or those of the given transcripts with the message that each belongs to now. " +
			"A label whose message is gone is listed as lost, with the text it was attached to.",
		Example: "  turns label run.jsonl '#flaky' quality=2 --verdict bad --note 'reads the wrong file'\n" +
			"  turns label run.jsonl -q 'is:error tool:Bash' '#flaky' --dry-run\n" +
			"  turns label --import validation.csv ~/runs\n  turns label --from-exit ~/runs\n" +
			"  turns label --list ~/runs --json\n  turns label --list ~/runs --to scout -o validation.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkFlags(); err != nil {
				return err
			}
			if o.list || cmd.CalledAs() == "labels" {
				return a.listLabels(cmd.Context(), args, o.to)
			}
			if o.by != "" && a.labels() != nil {
				a.labels().By = o.by
			}
			return a.label(cmd.Context(), cmd, args, &o)
		},
	}
	a.selectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.note, "note", "", "add the note `TEXT`")
	f.StringVar(&o.verdict, "verdict", "", "add the verdict `WORD`: good or bad")
	f.StringSliceVar(&o.remove, "remove", nil, "take the label `WORD` away")
	f.StringVar(&o.by, "by", "", "say it in the name of `NAME`")
	f.StringVar(&o.from, "import", "", "take the labels of `FILE`: CSV, JSON lines, validation sets of Inspect Scout, scores of Langfuse")
	f.BoolVar(&o.exit, "from-exit", false, "judge each run of FILE and DIR by how it ended, and take over its score")
	f.BoolVar(&o.dry, "dry-run", false, "print what would be written, and write nothing")
	f.BoolVar(&o.undo, "undo", false, "take back what you said last")
	f.BoolVar(&o.list, "list", false, "List labels instead")
	f.StringVar(&o.to, "as", "", "print the list as `FORM`: "+strings.Join(formsOf["label"], ", "))
	f.BoolVar(&a.json, "json", false, "print JSON, a line each, as they are kept")
	a.outputFlags(cmd)
	return cmd
}

func (a *app) label(ctx context.Context, cmd *cobra.Command, args []string, o *labelFlagSet) error {
	if a.labels() == nil {
		return errors.New("--no-labels leaves nothing to write to")
	}
	var lines []label.Line
	var err error
	switch {
	case o.undo:
		lines, err = a.labelUndo()
	case o.from != "":
		lines, err = a.labelImport(ctx, args, o.from)
	case o.exit:
		lines, err = a.labelExits(ctx, args)
	default:
		lines, err = a.labelWords(ctx, cmd, args, o)
	}
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errNoMatch
	}
	if !o.dry {
		if err := a.labels().Add(lines); err != nil {
			return err
		}
	}
	return a.write(func(w io.Writer) error { return tellLabels(w, lines, o.dry) })
}

// tellLabels says what was written, or would be.
func tellLabels(w io.Writer, lines []label.Line, dry bool) error {
	if !dry {
		_, err := fmt.Fprintln(w, human.Plural(len(lines), "line")+" written")
		return err
	}
	for i := range lines {
		l := &lines[i]
		what, at := l.Words(), cmp.Or(l.Run.Session, l.Run.Path)
		if l.Undo != "" {
			what, at = "takes back "+l.Undo, ""
		}
		if p := l.At; p != nil {
			at += fmt.Sprintf(" #%d %s", p.Index, p.Text)
		}
		if _, err := fmt.Fprintln(w, strings.TrimSpace(model.CleanLine(what+"  "+at))); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) labelUndo() ([]label.Line, error) {
	set, _, err := a.labels().Read()
	if err != nil {
		return nil, err
	}
	last := set.Last(a.labels().By)
	if last == nil {
		return nil, fmt.Errorf("%q said nothing that could be taken back", a.labels().By)
	}
	return []label.Line{a.labels().Pen(time.Now()).Undo(last.ID)}, nil
}

// labelWords says what the words after the paths say.
func (a *app) labelWords(ctx context.Context, cmd *cobra.Command, args []string, o *labelFlagSet) ([]label.Line, error) {
	var paths []string
	for len(args) > 0 && (len(paths) == 0 || !isSaid(args[0])) {
		paths, args = append(paths, args[0]), args[1:]
	}
	said, err := saidIn(args, o)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, hinted{errNoTranscript, "turns label FILE '#word'"}
	}
	var lines []label.Line
	names := paths
	paths, err = a.paths(ctx, names)
	if err != nil {
		return nil, err
	}
	several := len(paths) > 1
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := a.labelFile(ctx, cmd, path, said)
		if err != nil && !several {
			return nil, err
		}
		if err != nil {
			a.complain(err)
		}
		lines = append(lines, more...)
	}
	return lines, nil
}

// isSaid reports whether an argument says something and is no path.
func isSaid(arg string) bool {
	if _, err := os.Lstat(arg); err == nil {
		return false
	}
	said, err := label.Parse(arg)
	return err == nil && (len(said.Drop) > 0 || len(said.Add) > 0 && said.Add[0].Kind != label.Note)
}

func saidIn(args []string, o *labelFlagSet) (said label.Said, err error) {
	if len(args) > 0 {
		if said, err = label.Parse(strings.Join(args, " ")); err != nil {
			return said, err
		}
	}
	if o.verdict != "" {
		m, err := label.VerdictOf(o.verdict)
		if err != nil {
			return said, err
		}
		said.Add = append(said.Add, m)
	}
	if o.note != "" {
		said.Add = append(said.Add, label.Mark{Kind: label.Note, Text: o.note})
	}
	for _, name := range o.remove {
		said.Drop = append(said.Drop, strings.TrimPrefix(name, "#"))
	}
	if len(said.Add)+len(said.Drop) == 0 {
		return said, hinted{errors.New("nothing is said"), "#word is a label, word=3 a score; --note TEXT, --verdict good"}
	}
	return said, nil
}

// labelFile says something of a transcript: of what is selected, else of its runs.
func (a *app) labelFile(ctx context.Context, cmd *cobra.Command, path string, said label.Said) ([]label.Line, error) {
	c, view, err := a.selected(ctx, cmd, path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	here, err := a.here(ctx, view.Snap)
	if err != nil {
		return nil, err
	}
	w := labelWriter{ctx: ctx, view: view, here: here, at: transcripts.SourceOf(path), pen: a.labels().Pen(time.Now()), said: said, runs: map[uint32]label.Run{}}
	if a.filter != "" || a.slice != "" || a.cut {
		w.messages()
	} else {
		w.sessions()
	}
	return w.lines, nil
}

// labelWriter says one thing of many places of a transcript.
type labelWriter struct {
	ctx   context.Context
	view  describe.View
	here  *label.Here
	at    label.Source
	pen   *label.Pen
	said  label.Said
	runs  map[uint32]label.Run
	lines []label.Line
}

func (w *labelWriter) run(session uint32) label.Run {
	r, ok := w.runs[session]
	if !ok {
		r = label.RunOf(w.ctx, w.view.Snap, session, w.at)
		w.runs[session] = r
	}
	return r
}

func (w *labelWriter) session(id model.ID) uint32 {
	return w.view.Snap.Threads()[w.view.Snap.HeadRow(id).Thread].Session
}

// sessions says it of each run that has a message in the selection.
func (w *labelWriter) sessions() {
	for _, id := range w.view.IDs {
		n := w.session(id)
		if _, done := w.runs[n]; !done {
			w.lines = append(w.lines, w.pen.Write(w.run(n), label.OfRun, nil, w.here.OfRun(n), w.said)...)
		}
	}
}

// messages says it of each message, or of its calls where only they match.
func (w *labelWriter) messages() {
	done := map[model.CallID]bool{}
	none := model.CallID(model.NoRow)
	for _, id := range w.view.IDs {
		calls := w.view.MatchedCalls(id)
		if len(calls) == 0 {
			w.place(id, none)
		}
		for _, c := range calls {
			if of := w.view.Snap.Call(c).Msg; of == model.NoID {
				w.place(id, none)
			} else if !done[c] {
				done[c] = true
				w.place(of, c)
			}
		}
	}
}

func (w *labelWriter) place(id model.ID, call model.CallID) {
	scope := label.OfMessage
	if call != model.CallID(model.NoRow) {
		scope = label.OfCall
	}
	var there []*label.Placed
	for _, p := range w.here.At(id) {
		if p.Call == call {
			there = append(there, p)
		}
	}
	at := label.PlaceOf(w.ctx, w.view.Snap, id, call)
	w.lines = append(w.lines, w.pen.Write(w.run(w.session(id)), scope, at, there, w.said)...)
}

// labelImport takes over the labels of a file. Ids are looked for in the transcripts that
// are named; of those that are found nowhere the line waits for its run.
func (a *app) labelImport(ctx context.Context, args []string, from string) ([]label.Line, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("importing labels: %w", err)
	}
	rows, err := transcripts.Imports(data)
	if err == nil && len(rows) == 0 {
		err = errors.New("no label, verdict, note or score is in it")
	}
	if err != nil {
		return nil, fmt.Errorf("importing labels from %q: %w", from, err)
	}
	set, _, err := a.labels().Read()
	if err != nil {
		return nil, err
	}
	have, placed := map[string]bool{}, map[string]label.Line{}
	for _, l := range set.Lines() {
		have[l.ID] = true
	}
	paths, err := a.paths(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		c, snap, err := a.open(ctx, path)
		if err != nil {
			a.complain(err)
			continue
		}
		for _, l := range transcripts.Resolve(ctx, rows, snap, path) {
			placed[l.ID] = l
		}
		c.Close()
	}
	var lines []label.Line
	for i := range rows {
		l := rows[i].Line
		if p, ok := placed[l.ID]; ok {
			l = p
		}
		if have[l.ID] {
			continue
		}
		have[l.ID] = true
		if l.Time.IsZero() {
			l.Time = time.Now().UTC().Truncate(time.Millisecond)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// labelExits judges runs by how they ended.
func (a *app) labelExits(ctx context.Context, args []string) ([]label.Line, error) {
	if len(args) == 0 {
		return nil, hinted{errNoTranscript, "turns label --from-exit DIR"}
	}
	lib, err := a.library(args...)
	if err != nil {
		return nil, err
	}
	list, err := lib.Sessions(ctx, false)
	if err != nil {
		return nil, err
	}
	set, _, err := a.labels().Read()
	if err != nil {
		return nil, err
	}
	pen := a.labels().Pen(time.Now())
	pen.By = "exit"
	var lines []label.Line
	for s, err := range list.Rows {
		if err != nil {
			a.complain(err)
			continue
		}
		said := label.Said{Add: transcripts.ExitMarks(&s)}
		run, about := a.labels().About(set, &s)
		lines = append(lines, pen.Write(run, label.OfRun, nil, about, said)...)
	}
	return lines, ctx.Err()
}
