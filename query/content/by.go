package content

import (
	"context"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/window"
)

// Keys of content from sources other than calls.
const (
	hidden    = "(not in the transcript)" // system prompt and tools
	system    = "(system prompt)"
	prompts   = "(prompts)"
	injected  = "(injected)"
	answers   = "(model)" // words and reasoning of the model
	summaries = "(summaries)"
	elsewhere = "(no response)" // a cost of the session that belongs to no response
	main      = "main"
)

// kind names the part of a message outside of calls and results.
func kind(h *model.Head) string {
	switch {
	case h.Flags&model.Recap != 0:
		return summaries
	case h.Role == model.System || h.Role == model.Developer:
		return system
	case h.Flags&model.Injected != 0:
		return injected
	case h.Role == model.Assistant:
		return answers
	}
	return prompts
}

// ascriber names the source of a part of a context.
type ascriber interface {
	// call returns the keys of a call, for its arguments and its result. Several keys share the
	// cost evenly.
	call(ctx context.Context, id model.CallID) ([]string, error)
	// rest returns the key of the other parts of a message. id is NoID for prompts without a
	// message.
	rest(id model.ID, thread uint32, kind string) string
}

var ascribers = []struct {
	name string
	make func(x *window.Index) ascriber
}{
	{"tool", func(x *window.Index) ascriber { return byTool{x} }},
	{"file", func(x *window.Index) ascriber { return newByFile(x) }},
	{"subagent", func(x *window.Index) ascriber { return newByAgent(x) }},
	{"phase", func(x *window.Index) ascriber { return newByPhase(x) }},
}

// Names returns the keys of --content-by.
func Names() []string {
	names := make([]string, len(ascribers))
	for i := range ascribers {
		names[i] = ascribers[i].name
	}
	return names
}

// Known returns an error for a name outside of Names.
func Known(name string) error {
	for i := range ascribers {
		if ascribers[i].name == name {
			return nil
		}
	}
	return fmt.Errorf("unknown content %q; valid: %s", name, strings.Join(Names(), ", "))
}

// byTool ascribes content to tools.
type byTool struct{ x *window.Index }

func (a byTool) call(_ context.Context, id model.CallID) ([]string, error) {
	return []string{model.CleanLine(query.ToolName(a.x.Snap, a.x.Snap.Call(id)))}, nil
}

func (byTool) rest(_ model.ID, _ uint32, kind string) string { return kind }

// byFile ascribes content to the files that calls read and write.
type byFile struct {
	x      *window.Index
	pairs  *query.Pairs
	paths  map[model.CallID][]string
	sayers map[*model.Session]describe.Describer
}

func newByFile(x *window.Index) *byFile {
	return &byFile{x, query.NewPairs(x.Snap), map[model.CallID][]string{}, map[*model.Session]describe.Describer{}}
}

// noFile is the key of calls without a file.
const noFile = "(no file)"

func (a *byFile) call(ctx context.Context, id model.CallID) ([]string, error) {
	if paths := a.paths[id]; paths != nil {
		return paths, nil
	}
	paths, err := a.touched(ctx, id)
	if len(paths) == 0 {
		paths = []string{noFile}
	}
	a.paths[id] = paths
	return paths, err
}

func (a *byFile) touched(ctx context.Context, id model.CallID) (paths []string, err error) {
	s := a.x.Snap
	c := s.Call(id)
	if f, _, _ := describe.FamilyOf(s.Name(c.Tool)); !describe.NamesFiles(f) || c.Msg == model.NoID {
		return nil, nil
	}
	call, err := a.pairs.Call(ctx, id)
	if err != nil || call == nil {
		return nil, err
	}
	se := s.Session(c.Msg)
	d, ok := a.sayers[se]
	if !ok {
		d = describe.NewDescriber(se)
		a.sayers[se] = d
	}
	seen := map[string]bool{}
	for _, t := range describe.Touched(call) {
		if path := d.FileShown(t.Path); !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func (*byFile) rest(_ model.ID, _ uint32, kind string) string { return kind }

// byAgent ascribes content to the subagents that answered with it, and their own requests to them.
type byAgent struct {
	x       *window.Index
	started map[model.CallID]uint32
}

func newByAgent(x *window.Index) *byAgent {
	a := &byAgent{x, map[model.CallID]uint32{}}
	for n, th := range x.Snap.Threads() {
		if !th.Main && uint32(th.Call) != model.NoRow {
			a.started[th.Call] = uint32(n)
		}
	}
	return a
}

func (a *byAgent) name(thread uint32) string {
	if a.x.Snap.Threads()[thread].Main {
		return main
	}
	return query.AgentName(a.x.Snap, thread)
}

// noAgent is the key of calls of subagents that are missing in the transcript.
const noAgent = "(subagents in separate files)"

func (a *byAgent) call(_ context.Context, id model.CallID) ([]string, error) {
	s := a.x.Snap
	if n, ok := a.started[id]; ok {
		return []string{a.name(n)}, nil
	}
	c := s.Call(id)
	if thread := s.HeadRow(c.Place()).Thread; !s.Threads()[thread].Main {
		return []string{a.name(thread)}, nil
	}
	if f, _, _ := describe.FamilyOf(s.Name(c.Tool)); f == describe.FamilyAgent {
		return []string{noAgent}, nil
	}
	return []string{main}, nil
}

func (a *byAgent) rest(_ model.ID, thread uint32, _ string) string { return a.name(thread) }

// byPhase ascribes content to the phase of the work in which it was added.
type byPhase struct {
	x      *window.Index
	pairs  *query.Pairs
	phases map[model.CallID]string
}

func newByPhase(x *window.Index) *byPhase {
	return &byPhase{x, query.NewPairs(x.Snap), map[model.CallID]string{}}
}

// The phases of the work.
const (
	setup    = "setup" // system prompt, tools, injected texts
	talk     = "talk"  // prompts and answers
	explore  = "explore"
	change   = "edit"
	run      = "run"
	delegate = "delegate"
	plan     = "plan"
	other    = "other"
	compact  = "compact"
)

// phaseOf maps the effects of calls, from describe.Does, to phases.
var phaseOf = map[string]string{
	"read": explore, "search": explore, "web": explore, "edit": change, "shell": run, "agent": delegate, "todo": plan, "question": plan,
}

// phaseOfKind maps the kinds of content without a call to phases.
var phaseOfKind = map[string]string{hidden: setup, system: setup, injected: setup, prompts: talk, answers: talk, summaries: compact}

func (a *byPhase) call(ctx context.Context, id model.CallID) ([]string, error) {
	if phase := a.phases[id]; phase != "" {
		return []string{phase}, nil
	}
	phase := other
	call, err := a.pairs.Call(ctx, id)
	if err != nil {
		return nil, err
	}
	if call != nil {
		for _, does := range describe.Does(call) { // a command that writes a file edits
			if p := phaseOf[does]; p != "" {
				phase = p
			}
		}
	}
	a.phases[id] = phase
	return []string{phase}, nil
}

// rest returns the phase of a message. Text that accompanies a call is in the phase of the
// call.
func (a *byPhase) rest(id model.ID, _ uint32, kind string) string {
	if kind == answers && id != model.NoID {
		for _, c := range query.CallsOf(a.x.Snap, id) {
			if phase := a.phases[c.ID]; phase != "" {
				return phase
			}
		}
	}
	return phaseOfKind[kind]
}
