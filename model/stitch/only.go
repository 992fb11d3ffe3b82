package stitch

import "turns/model"

// onlySession selects the facts of one session of a source by its number. The numbers are those
// that the sessions have when all are read.
type onlySession struct {
	want, count int
	numbers     map[model.Key]int
	framed      bool // the first session has no name and no messages
}

// Only selects the facts of one session, by its number among all, and leaves out those of the
// others. Call it before any batch is applied.
func (b *Builder) Only(session int) {
	b.only = &onlySession{want: session, numbers: make(map[model.Key]int)}
}

func (o *onlySession) takes(g *gist, order model.Order) bool {
	n, ok := o.numbers[g.session]
	if !ok {
		if n = o.count; n == 1 && o.framed {
			n = 0 // as in Builder.session, the first conversation replaces the frame
		} else {
			o.count++
		}
		o.framed = n == 0 && g.session == 0
		o.numbers[g.session] = n
	}
	named := g.fields > 0 && order != model.ByTime // as in Builder.unused
	if g.session == 0 && (named || g.thread != 0 || g.usage >= 0 || g.op == model.Say || g.op == model.End) {
		o.framed = false
	}
	return n == o.want
}
