package ui

import (
	"context"
	"image/color"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/take"
	"turns/ui/timeline"
	"turns/ui/transcripts"
)

// app is the one model of the program. It routes messages to its parts, which are plain structs.
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
	notice
	journey
	pointer
	ground
	following
	stops
	answers   answers
	filtering filtering
	labelled  labelling
	life
}

// overlays are the dialogs over it.
type overlays struct {
	dialogs  []screen.Dialog
	dialogAt rect             // of the dialog on top, as it was drawn last
	listed   *sessions.Memory // how the session list was left
}

// typed is what was typed of a command.
type typed struct {
	pending   string // first key of a chord
	count     int
	zeroTyped bool // a count was typed, and it was 0
}

// notice is what the status line says for a while.
type notice struct {
	said    string
	sayInk  paint.Ink
	sayGen  int
	toldWhy int    // of what was said why the last key cannot act; the next key takes it away
	noticed string // the last of Options.Notices
}

// journey is where the reader comes from.
type journey struct {
	returnTo     []screen.Dialog // that the session was opened from: leaving it shows them again
	pastSessions []string        // paths of the sessions that [ goes back to
	fromSessions bool
	successor    *app // takes over: another session was opened
}

// pointer is the mouse.
type pointer struct {
	mouseOff  bool
	lastClick click
	drag      bool
	wheel     wheelSum
}

// ground is what the terminal says of its background.
type ground struct {
	isDark bool
	behind color.Color // nil while it has not said
}

// following is what is known of a source that grows.
type following struct {
	began time.Time // when the session was opened
	grew  bool      // the source was seen to grow
	// the place that was asked for is looked for when the whole conversation is there
	placeLater bool
	left       *savedState   // where the reader left the transcript, until all of it is loaded
	waitsAt    screen.RowKey // the row of the cursor meanwhile
	ticking    bool
	bell       bool
	stood      session.Doing // what the run did when that was looked at last
}

// stops are those by a key, after which the terminal is taken back from the shell.
type stops struct {
	resume func()   // of the stop that goes on
	back   []func() // of the stops that are over, but for a moment
}

// life is what holds the program together while it runs.
type life struct {
	cancel  context.CancelFunc
	reading *sync.Mutex   // held while the feed is asked
	picture tea.View      // the frame of the last Update
	broken  *screen.Fault // what the program ends with
	saveGen int
}

type updateMsg struct {
	feed   transcripts.Feed
	update transcripts.State
	err    error
}
type sayOverMsg struct{ gen int }
type noticeMsg struct{ text string }
type tickMsg struct{}

// newApp makes the model. Run and the tests start it.
func newApp(ctx context.Context, feed transcripts.Feed, o screen.Options) *app {
	ctx, cancel := context.WithCancel(ctx)
	h := screen.NewHost(ctx, o)
	a := &app{h: h, feed: feed, keys: newKeymap()}
	a.reading, a.cancel, a.isDark, a.listed = &sync.Mutex{}, cancel, true, &sessions.Memory{}
	a.began = o.Time().Add(-time.Second) // clocks of files are coarse
	a.list = timeline.New(h)
	a.stage = stage{h: h, list: a.list, panes: panes.All(h, a.list), w: o.Width, h0: o.Height, sized: o.Width > 0 && o.Height > 0, second: a.whySecond}
	a.recallColumns()
	a.setTheme(a.theme())
	h.Ask, h.Rows = a.asked, a.list
	a.desk = &take.Desk{H: h, Size: func() (int, int) { return a.w, a.h0 }}
	a.answers = answers{h: h, list: a.list, stage: &a.stage}
	a.filtering = filtering{h: h, list: a.list, stage: &a.stage, answers: &a.answers}
	a.labelled = labelling{h: h, list: a.list, stage: &a.stage, filtering: &a.filtering}
	a.bar = screen.NewFilterBar(h, a.filtering.forBar())
	a.filtering.bar = a.bar
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
	if a.said != "" {
		cmds = append(cmds, a.h.After(sayTime, sayOverMsg{a.sayGen}))
	}
	cmds = append(cmds, a.beginComparing(), a.nextNotice())
	if v := config.ViewNamed(a.h.Opts.Views, a.h.Opts.View); v != nil && v.Of == config.ViewOfList && a.h.Opts.Sessions {
		cmds = append(cmds, a.takeListView(v))
	}
	if len(a.h.Opts.Problems) > 0 { // over whatever turns begins with
		cmds = append(cmds, a.opened(problemsNote(a.h)))
	}
	return screen.Guarded(tea.Batch(cmds...))
}

// nextNotice waits for a notice of the program around the screen.
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
	a.sayIn(paint.InkWarning, text)
	return a.nextNotice()
}

// next waits for the feed.
func (a *app) next() tea.Cmd {
	feed, ctx, reading := a.feed, a.h.Ctx, a.reading
	var frame <-chan time.Time
	if a.h.State.Preview { // reading the rest takes every core: the first frame leaves before
		frame = time.After(2 * time.Second / frameRate)
	}
	return screen.Background(func() tea.Msg { // the index is made in there
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

// Update routes a message. What was drawn too early for its text to be read is read by a command
// that follows.
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
	said := a.sayGen
	cmd = a.route(msg)
	if a.sayGen != said { // whoever said it, a dialog too: it is taken away after a while
		cmd = tea.Batch(cmd, a.h.After(sayTime, sayOverMsg{a.sayGen}))
	}
	// here and not in View: what the frame could not afford to read must be asked for by a command
	a.draw()
	cmd = screen.Guarded(tea.Batch(cmd, a.h.Described.Fetch(), a.h.FetchWanted(), a.followContext()))
	if a.successor != nil {
		return a.successor, cmd
	}
	return a, cmd
}

// route gives a message to the part that it is for.
func (a *app) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wentOnMsg, tea.ResumeMsg, backMsg:
		return a.stopped(msg)
	case tea.WindowSizeMsg:
		a.w, a.h0, a.sized = msg.Width, msg.Height, true
		return a.resized()
	case tea.BackgroundColorMsg:
		a.behind, a.isDark = msg.Color, msg.IsDark()
		if t := a.theme(); t != a.h.Styles.Theme {
			a.setTheme(t)
		}
	case tea.KeyPressMsg:
		a.cameTo = nil
		msg.Text = model.Clean(msg.Text) // without bracketed paste, what is pasted comes as keys
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg.Content)
	case wheelMsg, wheelDueMsg:
		return a.wheeled(msg)
	case tea.MouseClickMsg, tea.MouseReleaseMsg, tea.MouseMotionMsg, tea.MouseWheelMsg:
		return a.mouse(msg.(tea.MouseMsg))
	case updateMsg:
		return a.updated(msg)
	case noticeMsg:
		return a.notices(msg.text)
	case sayOverMsg:
		if msg.gen == a.sayGen {
			a.hush()
		}
	case saveDueMsg:
		return a.saveDue(msg)
	case openedMsg:
		return a.begin(msg)
	case placedMsg:
		return a.place(msg)
	case tickMsg:
		a.ticking = false
		return tea.Batch(a.rung(), a.tick())
	default:
		return a.computed(msg)
	}
	return nil
}

// stopped takes the terminal back after a stop by a key. A signal that came with it is told a moment
// later.
func (a *app) stopped(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case backMsg:
		if len(a.back) > 0 {
			a.back[0]()
			a.back = a.back[1:]
		}
		return nil
	case tea.ResumeMsg:
		if back := a.resume; back != nil {
			a.resume, a.back = nil, append(a.back, back)
			return tea.Batch(drawAgain(), a.h.After(resumeTime, backMsg{}))
		}
	default:
		if a.h.Away() { // the screen takes the terminal back by itself
			return nil
		}
	}
	return drawAgain()
}

// computed takes over what was computed in the background.
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
		return a.answers.ask()
	case netMsg:
		return a.answers.turnsNetted(msg)
	case netDueMsg:
		a.answers.netting = false
		return a.answers.netTurns()
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

// offer gives a message that is none of the app's to the parts that may have asked for it.
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
	for _, d := range a.returnTo { // what it does goes on while the reader looks
		give(d)
	}
	give(a.bar)
	give(a.h)
	for _, p := range a.panes {
		give(p)
	}
	return tea.Batch(append(cmds, a.asked(msg))...)
}
