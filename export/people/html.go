package people

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // for the style and the script
	"encoding/base64"
	"html"
	"io"
	"strconv"
	"strings"

	"turns/export"
	"turns/export/walk"
	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/provider"
	"turns/query/summary"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// WriteHTML writes one self-contained page: no network, and no script except its own for searching.
// Its policy forbids all scripts and styles other than those with a hash in it, so a conversation
// cannot run code even if the escaping of a text fails.
func WriteHTML(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	h := page{people: newPeople(w, view, &opts), ctx: ctx}
	h.head(ctx)
	begins := map[model.ID]*summary.Turn{}
	turns := summary.Timeline(view.Selection).Turns
	for i := range turns {
		begins[turns[i].Messages[0]] = &turns[i]
	}
	err := h.Each(ctx, func(s *walk.Paired) error {
		if t := begins[s.ID]; t != nil || !h.inTurn {
			h.turn(t)
		}
		h.message(s)
		return nil
	})
	if err != nil {
		return h.done(), err
	}
	h.foot()
	h.report.NoteCount(h.named, "%s left out, since it could show a credential; --no-redact shows images", "image is", "images are")
	return h.done(), h.w.Flush()
}

type page struct {
	*people
	inTurn bool
	ctx    context.Context
	named  int // omitted images
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (h *page) head(ctx context.Context) {
	o := h.overview(ctx)
	title := html.EscapeString(o.title)
	h.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ", hashOf(pageStyle), "; script-src ", hashOf(pageScript),
		"; img-src data:; base-uri 'none'; form-action 'none'\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<meta name=\"generator\" content=\"turns\">\n<title>", title, "</title>\n<style>", pageStyle, "</style>\n</head>\n<body>\n")
	h.put("<header>\n<h1>", title, "</h1>\n")
	if o.source != "" {
		h.put("<p class=\"facts\"><code>", html.EscapeString(o.source), "</code>")
		if o.format != "" {
			h.put(" · ", html.EscapeString(o.format))
		}
		h.put("</p>\n")
	}
	if o.dates != "" {
		h.put("<p class=\"facts\">", html.EscapeString(o.dates), "</p>\n")
	}
	h.put("<p class=\"facts\">", html.EscapeString(o.counts), "</p>\n")
	h.tools()
	h.put("</header>\n<div class=\"bar\" hidden><div><input type=\"search\" placeholder=\"Search…  /\" aria-label=\"Search\">",
		"<button type=\"button\" data-do=\"errors\" aria-pressed=\"false\">Errors</button>",
		"<button type=\"button\" data-do=\"fold\">Unfold all</button><output></output></div></div>\n<main>\n")
}

// tools writes the table of tools.
func (h *page) tools() {
	tools := summary.ToolSummary(h.View.Selection, nil)
	if len(tools.Tools)+len(tools.InAgents) == 0 {
		return
	}
	table := tools.Table(answer.Pick(tools.Columns(), "tool", "calls", "errors", "p50", "p95", "total time"))
	h.put("<details class=\"tools\"><summary><h2>Tools</h2></summary>\n<table>\n<thead><tr><th>", strings.Join(table.Names(), "</th><th>"), "</th></tr></thead>\n<tbody>\n")
	for i := range table.Rows {
		h.put("<tr>")
		for k := range table.Columns {
			h.put("<td>", html.EscapeString(h.line(table.Line(&table.Rows[i], k, 0))), "</td>")
		}
		h.put("</tr>\n")
	}
	h.put("</tbody>\n</table>\n</details>\n")
}

// turn begins a turn, with one line about its content; nil: messages before the first turn.
func (h *page) turn(t *summary.Turn) {
	if h.inTurn {
		h.put("</details>\n")
	}
	h.inTurn = true
	label, counts := "Before the first turn", []string(nil)
	if t != nil {
		label, counts = "Turn "+strconv.Itoa(t.Number), t.Counts()
	}
	h.put("<details class=\"turn\" open><summary>", label, "<small>", html.EscapeString(strings.Join(counts, " · ")), "</small></summary>\n")
}

func (h *page) message(s *walk.Paired) {
	if !h.Visible(s, h.opts) {
		return
	}
	h.begin(s)
	class := "other"
	if s.Role >= model.System && s.Role <= model.Tool {
		class = s.Role.String()
	}
	about := h.about(s)
	number := strconv.Itoa(s.Pos)
	h.put("<article class=\"", class, "\" id=\"m", number, "\">\n<h3><b>", html.EscapeString(h.speaker(s)), "</b> <small>",
		html.EscapeString(strings.Join(about[1:], " · ")), "</small> <a href=\"#m", number, "\">#", number, "</a></h3>\n")
	h.shown(s, h.call, h.call, func(i int) { h.block(s, i) })
	h.put("</article>\n")
}

func (h *page) block(s *walk.Paired, i int) {
	switch b := &s.Blocks[i]; b.Kind {
	case model.Words:
		h.writeMarkdown(h.text(b.Text))
	case model.Reasoning:
		if b.Text != "" {
			h.put("<details class=\"thinking\"><summary class=\"facts\">reasoning</summary><div class=\"reasoning\">\n")
			h.writeMarkdown(h.text(b.Text))
			h.put("</div></details>\n")
		}
	case model.Media:
		h.media(s, i)
	default:
		h.put("<p class=\"label\">", html.EscapeString(cmp.Or(h.line(b.Name), "other")), "</p>\n<pre>", html.EscapeString(h.text(b.Text)), "</pre>\n")
	}
}

// media shows an image, and names all other media. No rule can find credentials in an image: if
// credentials are removed, images are only named.
func (h *page) media(s *walk.Paired, i int) {
	b := &s.Blocks[i]
	line := html.EscapeString(h.mediaLine(b))
	h.put("<p class=\"media\">", line, "</p>\n")
	data, err := h.imageData(s, i)
	mime := provider.TypeOfData(data, "")
	if err != nil || !strings.HasPrefix(mime, "image/") {
		return
	}
	if h.secrets != nil {
		h.named++
		return
	}
	h.put("<p class=\"media\"><img src=\"data:", mime, ";base64,", data, "\" alt=\"", line, "\"></p>\n")
}

// imageData returns a block of media as base64.
func (h *page) imageData(s *walk.Paired, i int) (string, error) {
	raw, err := query.DecodeMedia(s.Blocks[i].Text)
	if s.Blocks[i].Text == "" || err != nil || s.Blocks[i].Elsewhere != "" {
		raw, err = query.MediaBytes(h.ctx, h.View.Snap, s.ID, i)
	}
	return base64.StdEncoding.EncodeToString(raw), err
}

func (h *page) call(c *walk.Call) {
	l := h.describe(c)
	class := "ok"
	switch o := c.Outcome(); {
	case o.Failed():
		class = "bad"
	case c.Call != nil && c.Result == nil:
		class = "open"
	}
	end := l.Outcome
	if t := took(c); t != "" {
		end = strings.TrimPrefix(end+" · "+t, " · ")
	}
	h.put("<details class=\"call ", class, "\"><summary><span class=\"sign\">", html.EscapeString(l.Glyph()), "</span><b>", html.EscapeString(l.Word),
		"</b><span class=\"about mono\">", html.EscapeString(l.About), "</span><span class=\"end\">", html.EscapeString(end), "</span></summary>\n")
	if name := h.line(c.Name(h.View.Snap)); name != "" && name != l.Word {
		h.put("<p class=\"label\">", html.EscapeString(name), "</p>\n")
	}
	if c.Call != nil {
		h.pieces("arguments", "args", h.arguments(c))
	}
	switch {
	case h.opts.NoResults:
	case c.Result != nil && c.Result.Text != "":
		h.pieces("result", "result", h.returned(c))
	case c.Result != nil:
		h.put("<p class=\"label\">result: empty</p>\n")
	default:
		h.put("<p class=\"label\">no result</p>\n")
	}
	h.put("</details>\n")
}

// pieces writes the pieces of an opened call or result.
func (h *page) pieces(label, class string, pieces []describe.Shown) {
	for i := range pieces {
		p := &pieces[i]
		if i == 0 {
			h.put("<p class=\"label\">", label, "</p>\n")
		}
		if p.Head != "" {
			h.put("<p class=\"label\"><code>", html.EscapeString(p.Head), "</code>")
			if p.Kind == describe.ShownDiff {
				h.put(" ", p.Counts())
			}
			h.put("</p>\n")
		}
		switch p.Kind {
		case describe.ShownMarkdown:
			h.writeMarkdown(p.Text)
		case describe.ShownDiff:
			h.diff(p.Text)
		default:
			h.put("<pre class=\"", class, "\">", html.EscapeString(p.Text), "</pre>\n")
		}
	}
}

// diff writes lines with their signs.
func (h *page) diff(text string) {
	h.put("<pre class=\"diff\">")
	for line := range strings.SplitSeq(text, "\n") {
		tag := ""
		switch {
		case strings.HasPrefix(line, "+"):
			tag = "ins"
		case strings.HasPrefix(line, "-"):
			tag = "del"
		}
		if tag == "" {
			h.put(html.EscapeString(line), "\n")
			continue
		}
		h.put("<", tag, ">", html.EscapeString(line), "</", tag, ">\n")
	}
	h.put("</pre>\n")
}

// writeMarkdown writes Markdown as HTML. Tags in it become text, and links never lead to a script.
func (h *page) writeMarkdown(text string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	var b bytes.Buffer
	if err := writeProse(&b, text); err != nil {
		h.put("<pre>", html.EscapeString(text), "</pre>\n")
		return
	}
	// Markdown turns &#27; into control characters
	h.put("<div class=\"says\">", model.Clean(b.String()), "</div>\n")
}

func (h *page) foot() {
	if h.inTurn {
		h.put("</details>\n")
	} else {
		h.put("<p class=\"facts\">No messages recorded</p>\n")
	}
	h.put("</main>\n<footer>")
	if !h.opts.Now.IsZero() {
		h.put("Exported ", html.EscapeString(h.opts.Now.In(h.zone).Format("2006-01-02 15:04:05")))
	}
	h.put("</footer>\n<script>", pageScript, "</script>\n</body>\n</html>\n")
}
