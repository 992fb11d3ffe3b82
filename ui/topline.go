package ui

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/quota"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// topLine is the first line of the screen: file, format, model and project; at the right the
// session's state or how it ended.
type topLine struct {
	h *screen.Host
	w int
}

func (t topLine) draw() string {
	h := t.h
	name := paint.ShortName(h.State.Path)
	if h.State.Path == "" && len(h.Opts.Opening) > 0 {
		name = "turns listen"
	}
	left := []paint.Span{{Text: " "}, {Text: name, Ink: paint.InkBold}}
	if h.Snap == nil {
		return h.Styles.Line(t.w, paint.GroundNone, left...)
	}
	ss := h.Session()
	right := append(t.doingSpans(), paint.Span{Text: " "})
	room := t.w - paint.RestWidth(left) - paint.RestWidth(right) - 1
	add := func(text string, i paint.Ink) {
		if text = paint.OneLine(text); text == "" {
			return
		}
		// a single letter is useless
		if room -= 3 + paint.Width(text); room < 0 && room+paint.Width(text) < leastCut {
			return
		}
		left = append(left, paint.Span{Text: "   "}, paint.Span{Text: text, Ink: i})
	}
	format := ""
	if src := h.Snap.Sources(); len(src) > 0 {
		format = strings.TrimSuffix(src[0].Title, " session")
		format = cmp.Or(format, src[0].Format)
	}
	format = cmp.Or(format, ss.Field("agent"))
	if v := ss.Field("version"); v != "" && t.w >= 100 {
		format += " " + v
	}
	add(format, paint.InkText)
	add(screen.ShortModel(h.About().Model), paint.InkAssistant)
	if t.w >= 100 {
		cwd := paint.Tilde(ss.Field("cwd"), h.Described.D.Home)
		if b := ss.Field("branch"); b != "" && cwd != "" {
			cwd += " (" + b + ")"
		}
		add(cwd, paint.InkDim)
		add(ss.Field("title"), paint.InkDim)
	}
	return h.Styles.Spread(t.w, paint.GroundNone, left, right)
}

// leastCut is the least width, in cells, of a shortened text.
const leastCut = 8

func (t topLine) doingSpans() []paint.Span {
	if t.h.Snap == nil || t.h.Snap.Len() == 0 {
		return nil
	}
	st, about := t.h.Doing(), t.h.About()
	if t.h.State.Preview || t.h.State.Indexed < 1 && !st.Live() {
		return nil // the unread rest may change it
	}
	text, i := st.String(), screen.ToneInks[st.Tone()]
	switch {
	case about.Sessions > 1 && text == "":
		text, i = human.Plural(about.Sessions, "session"), paint.InkDim
	case st.Doing == session.Unknown && text == "":
		text = "ended?"
	case st.Doing == session.Finished && st.Words() == "finished":
		text += t.endTimes(about)
	case st.Doing == session.Waiting:
		i = paint.InkUser
	}
	if !st.Since.IsZero() {
		text += " " + human.Clock(t.h.Opts.Time().Sub(st.Since))
	}
	out := []paint.Span{{Text: text, Ink: i}}
	if st := t.h.Stats; st != nil && t.h.Live {
		if fill := st.Context.Fill(); fill != "" {
			out = append(out, paint.Span{Text: "   " + fill, Ink: paint.InkDim})
		}
	}
	if c := t.h.Cost; c != nil && t.w >= 100 && c.Whole().Known() {
		out = append(out, paint.Span{Text: "   " + c.Whole().String(), Ink: paint.InkDim})
	}
	if q := quota.Fullest(t.h.Quotas, t.h.Opts.Time()); q != nil && t.w >= 80 {
		out = append(out, paint.Span{Text: "   " + t.quotaWords(q), Ink: paint.InkDim})
	}
	return out
}

// quotaWords describes a quota and, if there is room, when it will be used up at this rate.
func (t topLine) quotaWords(q *model.Quota) string {
	now := t.h.Opts.Time().In(t.h.Zone)
	text := quota.Words(q, now)
	if f, ok := quota.Forecast(q); ok && t.w >= 150 {
		text += ", " + f.Words(now)
	}
	return text
}

// endTimes returns when a session ended and how long it took.
func (t topLine) endTimes(about *model.Summary) (text string) {
	if about.Last == 0 {
		return ""
	}
	text = " " + t.h.Clock(about.Last)
	run := session.Session{Summary: *about}
	if d := run.Took(); d > 0 {
		text += " after " + human.Took(d)
	}
	return text
}
