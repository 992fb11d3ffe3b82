package prose

import (
	"bytes"
	"math"
	"testing"

	"turns/model/jsonspan"
)

// seeds has one text of each layout.
var seeds = []string{
	"id,role,content\n1,user,\"a \"\"b\"\"\nc\"\n2,assistant,Yes\n", "a\tb\n1\t2\n3\t4\n",
	"## User\nHow?\n## Assistant\n```\n## User\n```\nSo.\n", "User: Hi\nAssistant: Hello\n",
	"- role: user\n  content: &a [1]\n- role: assistant\n  content: *a\n", "---\na: 1\n---\nb: {c: [2]}\n",
	"<html><p class=user-message>Hi<p class='ai-message'>Yes<script></script><!-- x --></p>",
	"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes<|im_end|>\n", "[INST] Hi [/INST] Yes </s><s>[INST] So [/INST] No",
	"[{'role': 'user', 'n': (1, 2)}, AIMessage(content=\"it's\" 'so\\n', id=None)]\n{'a': {1, 2}}\nFoo(a=b'x')\n",
	">>> how is it\nIt is as it was.\n>>> and now\n... and then\nAs it will be.\n>>> /bye\n",
	"[12/11/25, 14:03:22] Anna: Hi\n[12/11/25, 14:03:25] Bot: Hello\nthere\n[12/11/25, 14:04:01] Anna: Bye\n", "Q: How?\nA: As it is to be done.\n\nQ: Why?\nA: So that it is done.\n",
	"---------- TextMessage (user) ----------\nHow?\n---------- ToolCallRequestEvent (Sum) ----------\n[FunctionCall(id='1', arguments='{}', name='a')]\n", "a (to b):\n\nHow?\n\nb (to a):\n\nSo.\n",
	"# CHAT: [2026-05-02T10:11:12+08:00]\nHow?\n--------\nSo.\n--------\n", "<img src=\"https://perplexity.ai/pplx-logo\"/>\n\n# How?\n```\n# a\n```\n# Why?\nSo.\n",
}

// FuzzLayouts cuts any text. The pieces do not depend on the sizes in which the text arrives, have
// no gaps, and become JSON.
func FuzzLayouts(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		for _, in := range look {
			l := in(text)
			if l == nil {
				continue
			}
			at, window := 0, int(step)+1
			for at < len(text) {
				eof := at+window >= len(text)
				rec, n := splitter{l}.Split(text[at:min(len(text), at+window)], eof)
				whole, m := l.cut(text[at:], true)
				if n == 0 {
					if eof {
						t.Fatalf("%s: stuck at %d of %q", l.name, at, text)
					}
					window *= 2
					continue
				}
				if n != m {
					t.Fatalf("%s: %d bytes of %d at once, at %d of %q", l.name, n, m, at, text)
				}
				at, window = at+n, int(step)+1
				v := l.appendTo(nil, rec.Data)
				if one, rest, err := jsonspan.Cut(v); len(v) > 0 && (err != nil || len(one) == 0 || len(bytes.TrimSpace(rest)) > 0) {
					t.Fatalf("%s: %q of %q is not JSON: %v", l.name, v, whole, err)
				}
			}
		}
	})
}

// TestCutIsLinear counts allocations: the first piece of a long text costs no more than that of a
// short one.
func TestCutIsLinear(t *testing.T) {
	for _, text := range seeds {
		l := find(text)
		if l == nil {
			continue
		}
		long := bytes.Repeat([]byte(text), 200)
		_, n := l.cut(long, true)
		allocated := func(text []byte) float64 {
			least := math.Inf(1) // the race detector lets pools drop some items
			for range 20 {
				least = min(least, testing.AllocsPerRun(1, func() { l.cut(text, true) }))
			}
			return least
		}
		if one, all := allocated(long[:min(len(long), n+len(text))]), allocated(long); all > 2*one+8 {
			t.Errorf("%s: %v steps for one piece among many, %v alone", l.name, all, one)
		}
	}
}
