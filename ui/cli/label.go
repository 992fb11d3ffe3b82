package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/export/outfile"
	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/ui/transcripts"
)

// labelCommand labels sessions, messages and calls, and lists labels.
type labelCommand struct {
	app                         *app
	note, verdict, author, from string
	exit, dry, undo, list       bool
	remove                      []string
}

func (a *app) labelCommand() *cobra.Command {
	c := &labelCommand{app: a}
	cmd := &cobra.Command{
		Use: "label FILE|DIR… [#LABEL|NAME=SCORE|+|-]…", Short: "Label sessions, messages and calls",
		Long: "Label a session or, with -q, --slice, --first and --last, each message or call that they select: " +
			"#word is a label, + and - are verdicts, word=3 is a score. turns stores labels in its data folder and never changes a transcript.\n\n" +
			"--list prints labels: all of them, or those of the named transcripts with the message that each belongs to now. " +
			"A label whose message is gone is listed as lost, with the text it was attached to.",
		Example: "  turns label run.jsonl '#flaky' quality=2 --verdict bad --note 'reads the wrong file'\n" +
			"  turns label run.jsonl -q 'is:error tool:Bash' '#flaky' --dry-run\n" +
			"  turns label --import validation.csv ~/runs\n  turns label --from-exit ~/runs\n" +
			"  turns label --list ~/runs --json\n  turns label --list ~/runs --to scout -o validation.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.list || cmd.CalledAs() == "labels" {
				return a.listLabels(cmd.Context(), args)
			}
			if c.author != "" && a.labels() != nil {
				a.labels().By = c.author
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.note, "note", "", "Add the note `TEXT`")
	oneOf(f, &c.verdict, "verdict", "", "Add the verdict `WORD`", choices(label.Good, label.Bad))
	f.StringSliceVar(&c.remove, "remove", nil, "Remove the label `WORD`")
	f.StringVar(&c.author, "author", "", "Label in the name of `NAME`")
	f.StringVar(&c.from, "import", "", "Import the labels of `FILE`: CSV, JSON lines, validation sets of Inspect Scout, scores of Langfuse")
	f.BoolVar(&c.exit, "from-exit", false, "Judge each session by how it ended, and import its score")
	f.BoolVar(&c.dry, "dry-run", false, "Print the new labels without writing them")
	f.BoolVar(&c.undo, "undo", false, "Undo your last label")
	f.BoolVar(&c.list, "list", false, "List labels")
	a.limitFlag(cmd, "With --list, print the first `N` labels")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, labelForms...)
	return cmd
}

func (a *labelCommand) run(ctx context.Context, args []string) error {
	if a.app.labels() == nil {
		return errors.New("--no-labels leaves no store to write to")
	}
	var lines []label.Line
	var err error
	switch {
	case a.undo:
		lines, err = a.labelUndo()
	case a.from != "":
		lines, err = a.labelImport(ctx, args)
	case a.exit:
		lines, err = a.labelExits(ctx, args)
	default:
		lines, err = a.labelWords(ctx, args)
	}
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return nothing("no new labels")
	}
	if !a.dry {
		if err := a.app.labels().Add(lines); err != nil {
			return err
		}
	}
	return a.app.write(func(w io.Writer) error {
		if a.dry {
			return printPlan(w, lines)
		}
		_, err := fmt.Fprintln(w, labelled(lines))
		return err
	})
}

// labelled summarises written labels in a line, with the numbers of sessions, messages and calls.
func labelled(lines []label.Line) string {
	sessions, messages, calls := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var typed []string
	for i := range lines {
		l := &lines[i]
		if l.Undo != "" {
			return "label removed"
		}
		place := l.Run.Path + " " + l.Run.Session
		switch at := l.At; {
		case at == nil:
			sessions[place] = true
		case at.Call != "":
			calls[place+" "+at.Call] = true
		default:
			messages[fmt.Sprint(place, " ", at.Index)] = true
		}
		if words := model.CleanLine(l.Words()); !slices.Contains(typed, words) {
			typed = append(typed, words)
		}
	}
	var what []string
	for _, part := range []struct {
		n    int
		noun string
	}{{len(sessions), "session"}, {len(messages), "message"}, {len(calls), "call"}} {
		if part.n > 0 {
			what = append(what, human.Plural(part.n, part.noun))
		}
	}
	if len(typed) > 5 {
		typed = append(typed[:5], "…")
	}
	return "labelled " + strings.Join(what, ", ") + ": " + strings.Join(typed, ", ")
}

// printPlan prints the labels that would be written.
func printPlan(w io.Writer, lines []label.Line) error {
	for i := range lines {
		l := &lines[i]
		what, at := l.Words(), cmp.Or(l.Run.Session, l.Run.Path)
		if l.Undo != "" {
			what, at = "undoes "+l.Undo, ""
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

func (a *labelCommand) labelUndo() ([]label.Line, error) {
	set, _, err := a.app.labels().Read()
	if err != nil {
		return nil, err
	}
	last := set.Last(a.app.labels().By)
	if last == nil {
		return nil, fmt.Errorf("%q has no label to undo", a.app.labels().By)
	}
	return []label.Line{a.app.labels().Pen(time.Now()).Undo(last.ID)}, nil
}

// labelWords returns the label lines for the words after the paths.
func (a *labelCommand) labelWords(ctx context.Context, args []string) ([]label.Line, error) {
	var paths []string
	for len(args) > 0 && (len(paths) == 0 || !isLabel(args[0])) {
		paths, args = append(paths, args[0]), args[1:]
	}
	typed, err := a.parseTyped(paths, args)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, hinted{errNoTranscript, "turns label FILE '#word'"}
	}
	var lines []label.Line
	names := paths
	paths, err = a.app.paths(ctx, names)
	if err != nil {
		return nil, err
	}
	several := len(paths) > 1
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := a.labelFile(ctx, path, typed)
		if err != nil && !several {
			return nil, err
		}
		if err != nil {
			a.app.complain(err)
		}
		lines = append(lines, more...)
	}
	return lines, nil
}

// isLabel reports whether an argument is a label, verdict or score rather than a path.
func isLabel(arg string) bool {
	if _, err := os.Lstat(arg); err == nil {
		return false
	}
	typed, err := label.Parse(arg)
	return err == nil && (len(typed.Drop) > 0 || len(typed.Add) > 0 && typed.Add[0].Kind != label.Note)
}

func (a *labelCommand) parseTyped(paths, args []string) (typed label.Typed, err error) {
	if len(args) > 0 {
		if typed, err = label.Parse(strings.Join(args, " ")); err != nil {
			return typed, err
		}
	}
	if a.verdict != "" {
		m, err := label.VerdictOf(a.verdict)
		if err != nil {
			return typed, err
		}
		typed.Add = append(typed.Add, m)
	}
	if a.note != "" {
		typed.Add = append(typed.Add, label.Mark{Kind: label.Note, Text: a.note})
	}
	for _, name := range a.remove {
		typed.Drop = append(typed.Drop, strings.TrimPrefix(name, "#"))
	}
	if len(typed.Add)+len(typed.Drop) == 0 {
		err := errors.New("no label named")
		for _, word := range paths[min(1, len(paths)):] {
			if _, missing := os.Lstat(word); missing != nil {
				err = fmt.Errorf("no label named (%q: a label begins with #)", word)
			}
		}
		return typed, hinted{err, "turns label FILE '#flaky', quality=3, --verdict good or --note TEXT"}
	}
	return typed, nil
}

// labelFile labels the selected messages of a transcript, or its sessions if nothing is selected.
func (a *labelCommand) labelFile(ctx context.Context, path string, typed label.Typed) ([]label.Line, error) {
	c, view, err := a.app.selected(ctx, path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	here, err := a.app.here(ctx, view.Snap)
	if err != nil {
		return nil, err
	}
	w := labelWriter{ctx: ctx, view: view, here: here, at: transcripts.SourceOf(path), pen: a.app.labels().Pen(time.Now()), typed: typed, runs: map[uint32]label.Run{}}
	if a.app.query != "" || a.app.cut() {
		w.messages()
	} else {
		w.sessions()
	}
	return w.lines, nil
}

// labelWriter adds the same label to many places of a transcript.
type labelWriter struct {
	ctx   context.Context
	view  describe.View
	here  *label.Here
	at    label.Source
	pen   *label.Pen
	typed label.Typed
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

// sessions labels each session that has a selected message.
func (w *labelWriter) sessions() {
	for _, id := range w.view.IDs {
		n := w.session(id)
		if _, done := w.runs[n]; !done {
			w.lines = append(w.lines, w.pen.Write(w.run(n), label.OfRun, nil, w.here.OfRun(n), w.typed)...)
		}
	}
}

// messages labels each selected message, or its calls if only they match.
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
	w.lines = append(w.lines, w.pen.Write(w.run(w.session(id)), scope, at, there, w.typed)...)
}

// labelImport imports the labels of a file. It looks for their sessions and messages in the given
// transcripts, and lists the labels without a match: it drops a label that identifies its message
// only by number, and stores the others until their session appears.
func (a *labelCommand) labelImport(ctx context.Context, args []string) ([]label.Line, error) {
	rows, err := a.importRows()
	if err != nil {
		return nil, err
	}
	set, _, err := a.app.labels().Read()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, l := range set.Lines() {
		have[l.ID] = true
	}
	placed, err := a.importPlaces(ctx, rows, args)
	if err != nil {
		return nil, err
	}
	var lines []label.Line
	for i := range rows {
		l := rows[i].Line
		if have[l.ID] {
			continue
		}
		have[l.ID] = true
		p, ok := placed[l.ID]
		switch {
		case ok && p.Wrong != "":
			a.app.complain(fmt.Errorf("skipped label %s: %s", importName(&l), p.Wrong))
			continue
		case ok:
			l = p.Line
		case transcripts.ByNumber(l.At):
			a.app.complain(fmt.Errorf("skipped label %s: no session found, and a bare number may point to another message later", importName(&l)))
			continue
		case len(args) > 0:
			a.app.complain(fmt.Errorf("label %s waits: no session found", importName(&l)))
		}
		if l.Time.IsZero() {
			l.Time = time.Now().UTC().Truncate(time.Millisecond)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// importName names a row of an import for people.
func importName(l *label.Line) string {
	name := fmt.Sprintf("%s of session %q", l.Words(), cmp.Or(l.Run.Session, l.Run.Path))
	if l.At != nil && l.At.Index >= 0 {
		name += fmt.Sprintf(", message %d", l.At.Index)
	}
	return name
}

// importRows reads the labels of a file.
func (a *labelCommand) importRows() ([]transcripts.Imported, error) {
	data, err := outfile.Read(a.from, transcripts.MostLabels)
	if err != nil {
		return nil, fmt.Errorf("importing labels: %w", err)
	}
	rows, err := transcripts.Imports(data)
	if err == nil && len(rows) == 0 {
		err = errors.New("it has no label, verdict, note or score")
	}
	if err != nil {
		return nil, fmt.Errorf("importing labels from %q: %w", a.from, err)
	}
	return rows, nil
}

// importPlaces finds the rows of an import in transcripts, by the ids of their lines.
func (a *labelCommand) importPlaces(ctx context.Context, rows []transcripts.Imported, args []string) (map[string]transcripts.Placed, error) {
	placed := map[string]transcripts.Placed{}
	paths, err := a.app.paths(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		c, snap, err := a.app.open(ctx, path)
		if err != nil {
			a.app.complain(err)
			continue
		}
		for i := range rows { // the path of a row also names a session
			if l := &rows[i].Line; l.Run.Session == "" && l.Run.Path != "" && (l.Run.Path == path || filepath.Base(l.Run.Path) == filepath.Base(path)) && len(snap.Sessions()) == 1 {
				rows[i].IDs = append(rows[i].IDs, snap.Sessions()[0].Field("session"))
			}
		}
		for _, p := range transcripts.Resolve(ctx, rows, snap, path) {
			if before, ok := placed[p.Line.ID]; !ok || before.Wrong != "" {
				placed[p.Line.ID] = p
			}
		}
		c.Close()
	}
	return placed, nil
}

// labelExits sets verdicts on sessions by how they ended.
func (a *labelCommand) labelExits(ctx context.Context, args []string) ([]label.Line, error) {
	if len(args) == 0 {
		return nil, hinted{errNoTranscript, "turns label --from-exit DIR"}
	}
	lib, err := a.app.library(args...)
	if err != nil {
		return nil, err
	}
	list, err := lib.Sessions(ctx, false)
	if err != nil {
		return nil, err
	}
	set, _, err := a.app.labels().Read()
	if err != nil {
		return nil, err
	}
	pen := a.app.labels().Pen(time.Now())
	pen.By = "exit"
	var lines []label.Line
	for s, err := range list.Rows {
		if err != nil {
			a.app.complain(err)
			continue
		}
		typed := label.Typed{Add: transcripts.ExitMarks(&s)}
		run, about := a.app.labels().About(set, &s)
		lines = append(lines, pen.Write(run, label.OfRun, nil, about, typed)...)
	}
	return lines, ctx.Err()
}

// paths returns the transcripts for some names.
func (a *app) paths(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	lib, err := a.library(names...)
	if err != nil {
		return nil, err
	}
	paths, err := lib.Transcripts(ctx)
	a.complainEach(err)
	return paths, nil
}
