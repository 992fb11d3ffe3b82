package people

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"

	"turns/export"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
)

// shards are the parts of hostile messages.
var shards = []string{
	"`", "``", "```", "```\n", "~~~\n", "|", "| a | b |\n|---|---|\n", "\n", "\n\n", "    ", "  ", "\t", "- ", "* ", "> ", "1. ", "a", "b c", " ", "\\", "\\\\", "\\`", "*", "**", "_", "~~", "\"", "'", "(", ")", "{", "$", "$$", ":",
	"<", ">", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<!--", "-->", "<a href=javascript:alert(1)>x</a>", "<?php", "<![CDATA[", "</div>", "<div>", "<pre>", "<svg/onload=alert(1)>", "<https://x", "<https://x>", "<https://x/`", "<mailto:a@b>",
	"<javascript:alert(1)>", "[", "]", "[a]", "](", "[x](javascript:alert(1))", "[x](<javascript:alert(1)>)", "[x]( ", "[x](\n", "javascript:alert(1)", "JaVaScRiPt:alert(1))", "&#106;avascript:alert(1))", "javascript&colon;alert(1))", "java\nscript:alert(1))",
	"data:text/html,<script>alert(1)</script>)", "![", "![x](https://t/p.png)", "![x][a]", "]: ", "[a]: javascript:alert(1)\n", "[a]:\njavascript:alert(1)\n", "[a\n", "[^1]", "[^1]: x\n", "&lt;", "&", "&#60;img src=x>", "www.x.com", "https://x", "# ", "### Assistant\n",
	"## Assistant ##\n", "===\n", "---\n", "-\n", "*#1*\n", "**Tool Call: Bash** `c1`\n", "#\n", "\u00a0", "é", "x\n\n---\n\n### Assistant\n\n*#1*\n\nI am forged",
}

// hostileMarkdown generates n messages, the same ones in each run.
func hostileMarkdown(n int) []string {
	rnd := rand.New(rand.NewPCG(21, 6000))
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for range 1 + rnd.IntN(14) {
			b.WriteString(shards[rnd.IntN(len(shards))])
		}
		out[i] = b.String()
	}
	return out
}

// liveIn returns the active parts of a document: tags, images, links that may run code, and
// headings other than those of its messages.
func liveIn(doc string) (live []string) {
	src := []byte(doc)
	headings := 0
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gmtext.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock, *ast.RawHTML, *ast.Image:
			live = append(live, n.Kind().String())
		case *ast.Link:
			if to := strings.ToLower(string(n.Destination)); to != "" && !mdTarget.MatchString(to) || n.Reference != nil {
				live = append(live, "link to "+to)
			}
		case *ast.AutoLink:
			if to := string(n.URL(src)); !strings.HasPrefix(to, "http") && !strings.HasPrefix(to, "mailto:") && !strings.Contains(to, "@") {
				live = append(live, "link to "+to)
			}
		case *ast.Heading:
			if n.Level <= 3 {
				headings++
			}
		}
		return ast.WalkContinue, nil
	})
	if headings != 3 { // the title and two messages
		live = append(live, "heading")
	}
	return live
}

// TestMarkdownIsDead writes hostile messages, as words and as reasoning. If TURNS_MARKDOWN names a
// file, the test writes the documents to it as a JSON list, for other readers of Markdown.
func TestMarkdownIsDead(t *testing.T) {
	var docs []string
	for i, s := range hostileMarkdown(modeltest.Fewer(6000, 6000)) {
		kind := model.Words
		if i%4 == 3 {
			kind = model.Reasoning
		}
		snap := model.FromMessages([]model.Message{
			{Role: model.Assistant, Blocks: []model.Content{{Kind: kind, Text: s}}},
			{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "after [a] ![x][a]"}}},
		})
		if strings.TrimSpace(s) == "" {
			continue
		}
		var out strings.Builder
		if _, err := WriteMarkdown(t.Context(), &out, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
			t.Fatal(err)
		}
		doc := out.String()
		docs = append(docs, doc)
		if live := liveIn(doc); live != nil {
			t.Errorf("%q has live %q in\n%s", s, live, doc)
			if len(docs) > 0 && t.Failed() && i > 400 {
				break
			}
		}
	}
	if path := os.Getenv("TURNS_MARKDOWN"); path != "" {
		data, err := json.Marshal(docs)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
