package source

import (
	"fmt"
	"io"
	"sync/atomic"

	"turns/model"
)

// meter counts the output of all containers of one open. However many members, layers and rows they
// have, the total output is limited in proportion to the input.
type meter struct {
	limits  model.Limits
	in, out atomic.Int64
}

func newMeter(limits model.Limits) *meter { return &meter{limits: limits.WithDefaults()} }

// reads counts the bytes of r as input.
func (m *meter) reads(r io.Reader) io.Reader { return &tallied{r: r, count: &m.in} }

// gives counts the bytes of r as output, and fails once they exceed the limit.
func (m *meter) gives(r io.Reader) io.Reader { return &tallied{r: r, count: &m.out, over: m.spent} }

// spent returns an error if the output exceeds the limit.
func (m *meter) spent() error {
	if limit := m.limits.MayGrow(m.in.Load()); m.out.Load() > limit {
		return m.limits.Beyond("unpacked", fmt.Sprintf("unpack: what comes out after %s is left out", model.SizeOf(limit)))
	}
	return nil
}

// tallied is a reader whose bytes are counted.
type tallied struct {
	r     io.Reader
	count *atomic.Int64
	over  func() error // nil: no limit
}

func (c *tallied) Read(p []byte) (int, error) {
	if c.over != nil {
		if err := c.over(); err != nil {
			return 0, err
		}
	}
	n, err := c.r.Read(p)
	c.count.Add(int64(n))
	return n, err
}

// bounds counts the bytes written to w as output, and limits them.
func (m *meter) bounds(w io.Writer) io.Writer { return bounded{w, m} }

type bounded struct {
	w io.Writer
	m *meter
}

func (b bounded) Write(p []byte) (int, error) {
	b.m.out.Add(int64(len(p)))
	if err := b.m.spent(); err != nil {
		return 0, err
	}
	return b.w.Write(p)
}
