package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"turns/model"
	"turns/model/source/web"
	"turns/query/describe"
	"turns/ui/transcripts"

	"github.com/spf13/cobra"
)

// answerOne answers about one transcript; found is false if among many transcripts it prints
// nothing about this one.
type answerOne func(ctx context.Context, a *app, path string, view describe.View) (found bool, err error)

// each prints the answers about many transcripts one after another, in JSON one per line with its
// path. It returns none if nothing is printed about any.
func (answer answerOne) each(a *app, none nothing) func(context.Context, []string) error {
	return func(ctx context.Context, names []string) error {
		c, err := a.crowd(ctx, names)
		if err != nil {
			return err
		}
		defer c.lib.Close()
		err = a.write(func(w io.Writer) error { return c.each(ctx, w, answer) })
		if c.bad && err == nil && ctx.Err() == nil {
			err = no("") // as for a single one
		}
		if err == nil && c.runs > 0 && c.printed == 0 {
			err = none
		}
		return c.end(ctx, err)
	}
}

// ofEach makes a command answer about one session, or about several one after another. It returns
// none if nothing is printed about any of several.
func (a *app) ofEach(cmd *cobra.Command, answer answerOne, none nothing) {
	a.ofMany(cmd, nil)
	cmd.RunE = a.oneOrEach(answer, none)
}

// oneOrEach answers about one session, or about many one after another.
func (a *app) oneOrEach(answer answerOne, none nothing) func(*cobra.Command, []string) error {
	return a.oneOrMany(func(cmd *cobra.Command, args []string) error {
		return a.about(cmd.Context(), args[0], func(view describe.View) error {
			_, err := answer(cmd.Context(), a, args[0], view)
			return err
		})
	}, answer.each(a, none))
}

// oneAnswer is the answer about one of many transcripts.
type oneAnswer struct {
	text, stderr []byte
	wanted       bool // to be printed
	found        bool
	bad          bool // exit code 1
	incomplete   bool
}

// each queries every transcript and writes the answers in order.
func (c *crowd) each(ctx context.Context, w io.Writer, answer answerOne) error {
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[oneAnswer]{Ask: func(ctx context.Context, t *transcripts.Loaded) (oneAnswer, error) {
		return c.answerFor(ctx, t, answer)
	}}) {
		if !took(c, &got) || !got.Answer.wanted {
			continue
		}
		c.runs++
		c.bad = c.bad || got.Answer.bad
		c.app.incomplete = c.app.incomplete || got.Answer.incomplete
		if err := c.writeOne(w, web.Shown(got.Path), &got.Answer); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) answerFor(ctx context.Context, t *transcripts.Loaded, answer answerOne) (out oneAnswer, err error) {
	if !c.lib.Wanted(ctx, t, c.wants) {
		return out, nil
	}
	var text, stderr bytes.Buffer
	alone := c.app.worker(&text, &stderr)
	view, err := alone.choose(ctx, t.Chosen.Snap)
	if err != nil || view.Len() == 0 && alone.narrowed() {
		return out, err
	}
	out.wanted = true
	out.found, err = answer(ctx, alone, t.Path, view)
	if isNothing(err) {
		err = nil
	}
	if isNo(err) {
		out.bad, err = out.found, nil
	}
	out.text, out.stderr, out.incomplete = text.Bytes(), stderr.Bytes(), alone.incomplete
	return out, err
}

func (c *crowd) writeOne(w io.Writer, path string, t *oneAnswer) error {
	if len(t.stderr) > 0 {
		c.shown.done()
		for line := range strings.Lines(string(t.stderr)) {
			fmt.Fprintf(c.app.Err, "%s: %s", model.CleanLine(path), line)
		}
	}
	if !t.found || len(t.text) == 0 {
		return nil
	}
	c.printed++
	if c.bare {
		_, err := w.Write(t.text)
		return err
	}
	if !c.app.json {
		c.shown.done()
		_, err := fmt.Fprintf(w, "== %s ==\n%s\n", model.CleanLine(path), t.text)
		return errors.Join(err, flushed(w))
	}
	var line bytes.Buffer
	if err := json.Compact(&line, t.text); err != nil {
		return fmt.Errorf("writing the answer about %q: %w", path, err)
	}
	err := writeJSONLine(w, aboutOne[json.RawMessage]{path, line.Bytes()})
	return errors.Join(err, flushed(w))
}

// aboutOne is the answer about one of many sessions, in JSON.
type aboutOne[T any] struct {
	Path   string `json:"path"`
	Answer T      `json:"answer"`
}
