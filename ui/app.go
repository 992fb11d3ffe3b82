package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"turns/model"
	"turns/query/lang"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/take"
	"turns/ui/timeline"
	"turns/ui/transcripts"
)

// app is the one Bubble Tea model. It routes messages to its parts, which are plain structs.
type app struct {
	h    *screen.Host
	feed transcripts.Feed
	list *timeline.List
	keys *keymap
	bar  *screen.FilterBar
	desk *take.Desk
	stage
	overlays
	typed
	touring touring
	verdict verdictLine
	bell    bell
	notice
	journey
	pointer
	ground
	following
	stops      stops
	answers    answers
	filtering  filtering
	labelled   labelling
	remembered remembering
	life
}

// overlays are the dialogs over the screen.
type overlays struct {
	dialogs  []screen.Dialog
	dialogAt rect             // of the top dialog in the last frame
	listed   *sessions.Memory // state of the session list when it was last closed
}

// pointer is the state of the mouse.
type pointer struct {
	mouseOff  bool
	lastClick click
	drag      bool
	wheel     wheelSum
}

// following is the state of a source that may grow.
type following struct {
	began time.Time         // when the session was opened
	early []tea.KeyPressMsg // keys pressed before its first messages
	ended bool              // reading failed
	grew  bool              // the source has grown since then
	// the requested place is searched when the session is fully read
	placeLater bool
	ticking    bool
}

// life is the state of the running program.
type life struct {
	cancel  context.CancelFunc
	reading *sync.Mutex   // locked during feed.Next
	picture tea.View      // the frame of the last Update
	broken  *screen.Fault // the fault that ends the program
}

type updateMsg struct {
	feed   transcripts.Feed
	update transcripts.State
	err    error
}
type noticeMsg struct{ text string }
type tickMsg struct{}

// newApp makes the model. Run and the tests use it.
func newApp(ctx context.Context, feed transcripts.Feed, o screen.Options) *app {
	ctx, cancel := context.WithCancel(ctx)
	h := screen.NewHost(ctx, o)
	a := &app{h: h, feed: feed, keys: newKeymap()}
	a.reading, a.cancel, a.isDark, a.listed = &sync.Mutex{}, cancel, true, &sessions.Memory{}
	a.began = o.Time().Add(-time.Second) // file clocks are coarse
	a.list = timeline.New(h)
	a.stage = stage{h: h, list: a.list, panes: panes.All(h, a.list), w: o.Width, h0: o.Height, sized: o.Width > 0 && o.Height > 0, second: a.verdict.needsSecond}
	a.recallColumns()
	a.setTheme()
	h.Ask, h.Rows = a.asked, a.list
	a.desk = &take.Desk{H: h, Size: func() (int, int) { return a.w, a.h0 }}
	a.answers = answers{h: h, list: a.list, stage: &a.stage}
	a.filtering = filtering{h: h, list: a.list, stage: &a.stage, answers: &a.answers}
	a.labelled = labelling{h: h, list: a.list, stage: &a.stage, filtering: &a.filtering}
	a.bar = screen.NewFilterBar(h, a.filtering.forBar())
	a.filtering.bar = a.bar
	a.remembered = remembering{h: h, list: a.list, stage: &a.stage, bar: a.bar, filtering: &a.filtering}
	a.verdict = verdictLine{h: h, list: a.list, stage: &a.stage, answers: &a.answers, filtering: &a.filtering, keyOf: a.keyOf}
	a.bell, a.touring, a.stops = bell{h: h}, touring{h: h}, stops{h: h}
	if o.Filter != "" {
		a.bar.Set(o.Filter)
	}
	return a
}

func (a *app) Init() tea.Cmd {
	cmds := []tea.Cmd{a.next(), tea.RequestBackgroundColor}
	if a.h.Opts.Sessions && len(a.dialogs) == 0 {
		cmds = append(cmds, a.backToSessions())
	}
	if a.status != "" {
		cmds = append(cmds, a.h.After(statusTime, statusOverMsg{a.statusGen}))
	}
	cmds = append(cmds, a.beginComparing(), a.nextNotice())
	if v := config.ViewNamed(a.h.Opts.Views, a.h.Opts.View); v != nil && v.Of == config.ViewOfList && a.h.Opts.Sessions {
		cmds = append(cmds, a.takeListView(v))
	}
	if len(a.h.Opts.Problems) > 0 { // over any other first screen
		cmds = append(cmds, a.opened(problemsNote(a.h)))
	}
	return screen.Guarded(tea.Batch(cmds...))
}

// nextNotice waits for the next of Options.Notices.
func (a *app) nextNotice() tea.Cmd {
	notices, ctx := a.h.Opts.Notices, a.h.Ctx
	if notices == nil {
		return nil
	}
	return screen.Background(func() tea.Msg {
		select {
		case text, ok := <-notices:
			if !ok {
				return nil
			}
			return noticeMsg{text}
		case <-ctx.Done():
			return nil
		}
	})
}

// notices shows a notice and waits for the next one.
func (a *app) notices(text string) tea.Cmd {
	a.noticed = text
	a.showStatusIn(paint.InkWarning, text)
	return a.nextNotice()
}

// next waits for an update of the feed.
func (a *app) next() tea.Cmd {
	feed, ctx, reading := a.feed, a.h.Ctx, a.reading
	var frame <-chan time.Time
	if a.h.State.Preview { // reading the rest uses every core, so the first frame is sent before
		frame = time.After(2 * time.Second / frameRate)
	}
	return screen.Background(func() tea.Msg { // the index is built in here
		if frame != nil {
			select {
			case <-frame:
			case <-ctx.Done():
				return nil
			}
		}
		reading.Lock()
		defer reading.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		u, err := feed.Next(ctx)
		return updateMsg{feed, u, err}
	})
}

// Update routes a message. A following command reads the texts that the frame had no time to read.
func (a *app) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	if f, ok := msg.(screen.FaultMsg); ok && a.broken == nil {
		a.broken = f.Fault
	}
	if a.broken != nil {
		return a, tea.Quit
	}
	defer func() {
		if r := recover(); r != nil {
			a.broken = screen.FaultOf(r)
			m, cmd = a, tea.Quit
		}
	}()
	a.h.Bodies.Begin()
	said := a.statusGen
	cmd = a.route(msg)
	if a.statusGen != said { // covers dialogs as well: the text is cleared after sayTime
		cmd = tea.Batch(cmd, a.h.After(statusTime, statusOverMsg{a.statusGen}))
	}
	// here and not in View: a command must request the texts that the frame had no time to read
	a.draw()
	cmd = screen.Guarded(tea.Batch(cmd, a.h.Described.Fetch(), a.h.FetchWanted(), a.followContext(), a.answers.netTurns()))
	if a.successor != nil {
		return a.successor, cmd
	}
	return a, cmd
}

// route passes a message to the part it concerns.
func (a *app) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wentOnMsg, tea.ResumeMsg, backMsg:
		return a.stops.ended(msg)
	case tea.WindowSizeMsg:
		a.w, a.h0, a.sized = msg.Width, msg.Height, true
		return a.resized()
	case tea.BackgroundColorMsg:
		a.behind, a.isDark = msg.Color, msg.IsDark()
		a.retheme()
	case tea.ColorProfileMsg:
		a.indexed = msg.Profile == colorprofile.ANSI256
		a.retheme()
	case tea.KeyPressMsg:
		a.cameTo = nil
		msg.Text = model.Clean(msg.Text) // without bracketed paste, pasted text arrives as keys
		a.answers.input()
		if a.tooEarly(msg) {
			return nil
		}
		return a.key(msg)
	case tea.PasteMsg:
		a.answers.input()
		return a.paste(msg.Content)
	case wheelMsg, wheelDueMsg:
		return a.wheeled(msg)
	case tea.MouseClickMsg, tea.MouseReleaseMsg, tea.MouseMotionMsg, tea.MouseWheelMsg:
		a.answers.input()
		return a.mouse(msg.(tea.MouseMsg))
	case updateMsg:
		return a.updated(msg)
	case noticeMsg:
		return a.notices(msg.text)
	case statusOverMsg:
		a.expire(msg)
	case saveDueMsg:
		return a.remembered.saveDue(msg)
	case openedMsg:
		return a.begin(msg)
	case placedMsg:
		return a.place(msg)
	case tickMsg:
		a.ticking = false
		return tea.Batch(a.bell.rings(), a.tick())
	default:
		return a.computed(msg)
	}
	return nil
}

// computed stores results of background work.
func (a *app) computed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case timeline.OutlineMsg:
		if a.list.SetOutline(msg) {
			return a.list.RefreshOutline()
		}
	case screen.DescribedMsg:
		a.h.Described.Arrived(msg)
		a.list.Described(msg.Lines)
	case answersMsg:
		return a.answers.answered(msg)
	case answersDueMsg:
		return a.answers.start()
	case netMsg:
		return a.answers.turnsNetted(msg)
	case netDueMsg:
		return a.answers.netDue()
	case countedMsg:
		return tea.Batch(a.answers.tokensCounted(msg), a.filtering.again(func(f *lang.Filter) bool { return msg.err == nil && msg.tokens != nil && f.Uses(lang.KeyTokens) }))
	case labelsMsg:
		return a.labelled.found(msg)
	case labelsWrittenMsg:
		return a.labelled.written(msg)
	case filteredMsg:
		return a.filtering.filtered(msg)
	case timeline.SearchedMsg:
		return a.list.Searched(msg)
	default:
		return a.offer(msg)
	}
	return nil
}

// offer passes other messages to every part that may have requested them.
func (a *app) offer(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	give := func(part any) {
		if m, ok := part.(screen.Messenger); ok {
			cmds = append(cmds, m.Message(msg))
		}
	}
	for _, d := range a.dialogs {
		give(d)
	}
	for _, d := range a.returnTo { // their work continues while the reader is elsewhere
		give(d)
	}
	give(a.bar)
	give(a.h)
	for _, p := range a.panes {
		give(p)
	}
	return tea.Batch(append(cmds, a.asked(msg))...)
}
