package screen

import (
	"testing"

	"turns/model"
)

// TestWhatIsDescribedMeanwhileIsShown: even if a session grows faster than its messages are
// described, a description is stored unless its own message has changed.
func TestWhatIsDescribedMeanwhileIsShown(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(d *describer)
		want      bool
	}{
		"nothing":             {func(*describer) {}, true},
		"the message changed": {func(d *describer) { delete(d.Asked, 0) }, false},
		"it was asked again":  {func(d *describer) { d.Asked[0] = 7 }, false},
	} {
		h := &Host{Ctx: t.Context(), Snap: model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hello"}}}})}
		h.Bodies = newBodies(h.Ctx)
		d := newDescriber(h)
		h.Bodies.Budget = 0
		if _, settled := d.Lines(0); settled {
			t.Fatal("it was read while the frame was drawn")
		}
		msg := d.Fetch()()
		h.Snap = model.NewSnapshot(model.Index{Version: 7}, nil)
		test.meanwhile(d)
		d.Arrived(msg.(DescribedMsg))
		if _, ok := d.Known.Get(0); ok != test.want {
			t.Errorf("%s: kept %v, want %v", name, ok, test.want)
		}
	}
}
