package ui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Bubble Tea looks for a new frame as often as frames may leave, whether anything happens or
// not: 120 times a second this costs more than a hundredth of a core. There is something new
// only after a message, so the ticker that it looks by is slowed down while none comes.
const (
	everyFrame = time.Second / frameRate
	firstLook  = everyFrame / 4 // after a message that wakes: not later than it is on average
	awakeFor   = 4 * everyFrame // after the last message
	asleep     = time.Second    // between two looks while nothing happens
)

// idler is a program that rests while nothing happens.
type idler struct {
	tea.Model
	pace *pace
}

func (i idler) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := i.Model.Update(msg)
	i.Model = m
	return i, cmd
}

// View is the model's. It is asked for after each message, which is when there may be something
// to draw.
func (i idler) View() tea.View {
	v := i.Model.View()
	i.pace.touch(time.Now())
	return v
}

// pace is how often a program looks for a frame.
type pace struct {
	mu    sync.Mutex
	begin func() (every, turnIn func(time.Duration)) // is called when the program runs
	every func(time.Duration)                        // sets how often it looks
	in    func(time.Duration)                        // has turn called after a while
	last  time.Time                                  // of a message
	state paceState
}

type paceState int

const (
	awake paceState = iota
	dozing
	waking
)

// idling is a program that rests while nothing happens, once its pace has been given it.
func idling(m tea.Model) (idler, *pace) {
	p := &pace{}
	return idler{m, p}, p
}

// of gives the pace to the program whose it is.
func (p *pace) of(prog *tea.Program) {
	p.begin = func() (every, turnIn func(time.Duration)) {
		timer := time.AfterFunc(awakeFor, func() { p.turn(time.Now()) })
		every = func(time.Duration) {}
		if ticker := tickerOf(prog); ticker != nil {
			every = ticker.Reset
		}
		return every, func(d time.Duration) { timer.Reset(d) }
	}
}

// touch says that something may have happened.
func (p *pace) touch(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.every == nil {
		if p.begin == nil {
			return
		}
		p.every, p.in = p.begin()
	}
	p.last = now
	if p.state == dozing {
		p.state = waking
		p.every(firstLook)
		p.in(2 * firstLook)
	}
}

// turn is what the next pace begins with.
func (p *pace) turn(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch left := awakeFor - now.Sub(p.last); {
	case p.state == waking:
		p.state = awake
		p.every(everyFrame)
		p.in(awakeFor)
	case left > 0:
		p.in(left)
	default:
		p.state = dozing
		p.every(asleep)
	}
}

// tickerOf is the ticker of a program that runs, nil where it has none by that name. Bubble Tea
// sets it before it asks for the first frame, and only stops and resets it later.
func tickerOf(prog *tea.Program) *time.Ticker {
	f := reflect.ValueOf(prog).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
