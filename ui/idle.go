package ui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameRate is the most frames per second. At 120, a key appears on the screen twice as soon as at
// 60.
const frameRate = 120

// Bubble Tea checks for a new frame at the frame rate even while idle: at 120 times a second this
// costs more than 1% of a core. A frame can change only after a message, so turns slows the ticker
// down while no messages arrive.
const (
	everyFrame = time.Second / frameRate
	firstLook  = everyFrame / 4 // after a message that wakes: as soon as on average
	awakeFor   = 4 * everyFrame // after the last message
	asleep     = time.Second    // between two checks while idle
)

// idler is a program with a slower ticker while idle.
type idler struct {
	tea.Model
	pace *pace
}

func (i idler) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := i.Model.Update(msg)
	i.Model = m
	return i, cmd
}

// View forwards to the model. Bubble Tea calls it after each message, when a frame may change.
func (i idler) View() tea.View {
	v := i.Model.View()
	i.pace.touch(time.Now())
	return v
}

// pace controls how often a program checks for a frame.
type pace struct {
	mu    sync.Mutex
	begin func() (every, turnIn func(time.Duration)) // called once the program runs
	every func(time.Duration)                        // sets the interval of the checks
	in    func(time.Duration)                        // calls turn after a delay
	last  time.Time                                  // time of the last message
	state paceState
}

type paceState int

const (
	awake paceState = iota
	dozing
	waking
)

// idling wraps a model in an idler. It takes effect once the pace has its program.
func idling(m tea.Model) (idler, *pace) {
	p := &pace{}
	return idler{m, p}, p
}

// of connects the pace to its program.
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

// touch reports that the frame may have changed.
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

// turn switches to the next pace.
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

// tickerOf returns the ticker of a running program, nil if it has no field of that name. Bubble Tea
// sets it before the first frame, and later only stops and resets it.
func tickerOf(prog *tea.Program) *time.Ticker {
	f := reflect.ValueOf(prog).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
