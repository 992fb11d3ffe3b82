package prose

import (
	"strings"
	"testing"
)

// find returns the first layout that matches a text, or nil.
func find(text string) *layout {
	for _, in := range look {
		if l := in([]byte(text)); l != nil {
			return l
		}
	}
	return nil
}

func TestLayouts(t *testing.T) {
	for _, test := range []struct{ name, text, layout, want string }{
		{"CSV", "id,role,content\n1,user,\"Hello, can \"\"you\"\"\nread?\"\n2,assistant,Yes\n", "rows of CSV",
			`{"id":"1","role":"user","content":"Hello, can \"you\"\nread?"} {"id":"2","role":"assistant","content":"Yes"}`},
		{"TSV with a quote in it", "who\tsays\nhuman\tIs \"it so?\nbot\tIt is.\n", "rows of TSV",
			`{"who":"human","says":"Is \"it so?"} {"who":"bot","says":"It is."}`},
		{"cells without names", "a;b\n1;2\n3;\n4;5\n6;7\n8;9\n1;2\n3;4\n5;6\n7;8\n9;1;2\n", "rows of columns",
			`{"a":"1","b":"2"} {"a":"3"} {"a":"4","b":"5"} {"a":"6","b":"7"} {"a":"8","b":"9"} {"a":"1","b":"2"} {"a":"3","b":"4"} {"a":"5","b":"6"} {"a":"7","b":"8"} {"a":"9","b":"1","more":"2"}`},
		{"an index, and columns without a name or a cell", ",role,content,,\n0,user,Is it so?,,\n1,bot,It is.,,\n", "rows of CSV",
			`{"index":"0","role":"user","content":"Is it so?"} {"index":"1","role":"bot","content":"It is."}`},
		{"one row of a question and its answer", "question,context,answer\nIs it so?,It was so.,It is.\n", "rows of CSV", `{"question":"Is it so?","context":"It was so.","answer":"It is."}`},
		{"one row of anything", "name,context\nBen,It was so.\n", "", ""},
		{"a list as Python prints it", "id;messages\n1;\"[{'role': 'user', 'content': \"\"It's so\"\"}]\"\n2;[{'a' b\n", "rows of columns",
			`{"id":"1","messages":[{"role":"user","content":"It's so"}]} {"id":"2","messages":"[{'a' b"}`},
		{"headings and a fence", "# On Go\n\n## User\nHow?\n\n## Assistant (gpt-4o)\n```md\n## User\n```\nSo.\n", "sections under Markdown headings",
			"{\"role\":\"user\",\"content\":\"How?\"} {\"role\":\"assistant\",\"model\":\"gpt-4o\",\"content\":\"```md\\n## User\\n```\\nSo.\"}"},
		{"fences without an end", "## User\nHow?\n\n## Assistant\nIn go.mod:\n```\n\n## Assistant\n```go\nfunc\n\n## User\nWhy?\n\n## Assistant\n```go\nx\n```\nSo.\n", "sections under Markdown headings",
			"{\"role\":\"user\",\"content\":\"How?\"} {\"role\":\"assistant\",\"content\":\"In go.mod:\\n```\"} {\"role\":\"assistant\",\"content\":\"```go\\nfunc\"} " +
				"{\"role\":\"user\",\"content\":\"Why?\"} {\"role\":\"assistant\",\"content\":\"```go\\nx\\n```\\nSo.\"}"},
		{"a conversation in a fence", "## User\nHow?\n\n## Assistant\n```md\nSay:\n\n## User\nHi.\n\n## Assistant\nHi.\n```\nSo.\n\n## User\nAh.\n", "sections under Markdown headings",
			"{\"role\":\"user\",\"content\":\"How?\"} {\"role\":\"assistant\",\"content\":\"```md\\nSay:\\n\\n## User\\nHi.\\n\\n## Assistant\\nHi.\\n```\\nSo.\"} {\"role\":\"user\",\"content\":\"Ah.\"}"},
		{"bold", "**You:** Where?\n\n**ChatGPT:** Here.\n\n- one\n\n**You:** ok\n", "paragraphs that begin with a speaker in bold",
			`{"role":"user","content":"Where?"} {"role":"assistant","name":"ChatGPT","content":"Here.\n\n- one"} {"role":"user","content":"ok"}`},
		{"plain", "User: Hi\nAssistant: Hello!\nNote: it goes on.\n\nUser: Bye\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"Hi"} {"role":"assistant","content":"Hello!\nNote: it goes on."} {"role":"user","content":"Bye"}`},
		{"times above speakers", "[2025-07-29 10:58:32.579090]\nUser: Hi\nBot: Hello!\n\n[2025-07-29 10:59:35.578905]\nUser: Bye\n[2025-07-29 11:00:00]\nis late.\n", "paragraphs that begin with a speaker",
			`{"role":"user","timestamp":"2025-07-29 10:58:32.579090","content":"Hi"} {"role":"assistant","content":"Hello!"} {"role":"user","timestamp":"2025-07-29 10:59:35.578905","content":"Bye\n[2025-07-29 11:00:00]\nis late."}`},
		{"as it is copied", "You said:\nHi\nChatGPT said:\nHello\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"Hi"} {"role":"assistant","name":"ChatGPT","content":"Hello"}`},
		{"without a space", "System:Be kind.\n\nUser:What's your name?\n\nAssistant:Ann. See http://x.example\n", "paragraphs that begin with a speaker",
			`{"role":"system","content":"Be kind."} {"role":"user","content":"What's your name?"} {"role":"assistant","content":"Ann. See http://x.example"}`},
		{"wide colons", "# 紀錄\n\n使用者：重來！\n\nAI agent：好。\n驗證：通過。\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"重來！"} {"role":"assistant","content":"好。\n驗證：通過。"}`},
		{"two names in turns", strings.Repeat("Ada: Where is it now?\nBob: It is here again.\n", 4), "paragraphs that begin with a speaker",
			strings.TrimSpace(strings.Repeat(`{"role":"user","name":"Ada","content":"Where is it now?"} {"role":"assistant","name":"Bob","content":"It is here again."} `, 4))},
		{"two names, too few turns", strings.Repeat("Ada: Where is it now?\nBob: It is here again.\n", 3), "", ""},
		{"two names not in turns", strings.Repeat("Ada: Where is it now?\nBob: It is here.\nBob: And there.\n", 4), "", ""},
		{"a third name", strings.Repeat("Ada: Where is it now?\nBob: It is here again.\n", 4) + "Eve: And I am here.\n", "", ""},
		{"two names and other lines", strings.Repeat("Ada: Where is it now?\nBob: It is here again.\nso\n", 4), "", ""},
		{"two words for values", strings.Repeat("Host: web-1\nPort: 8080\n", 6), "", ""},
		{"two keys in small letters", strings.Repeat("title: how it is\nbody: so it is\n", 6), "", ""},
		{"settings without spaces", "user:admin\nlevel:3\nhost:web-1\n", "", ""},
		{"in brackets", "[user] Hi\n[assistant]\nHello\n", "paragraphs under a speaker in brackets",
			`{"role":"user","content":"Hi"} {"role":"assistant","content":"Hello"}`},
		{"a list in YAML", "# notes\n- role: user\n  content: |\n    One\n    two\n- role: assistant\n  n: 1.50\n  ok: yes\n  none: ~\n", "YAML",
			`{"role":"user","content":"One\ntwo\n"} {"role":"assistant","n":1.50,"ok":"yes","none":null}`},
		{"documents of YAML", "---\nwho: user\nwhat: Hi\n---\nwho: bot\nwhat: {a: [1, b]}\n", "YAML",
			`{"who":"user","what":"Hi"} {"who":"bot","what":{"a":[1,"b"]}}`},
		{"binary in YAML", "---\na: !!binary |\n  SGVsbG8g\n  d29ybGQ=\nb: !!binary H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA==\nc: !!binary /wA=\n---\na: b\nc: d\n", "YAML",
			`{"a":"Hello world","b":"hello","c":{"base64":"/wA="}} {"a":"b","c":"d"}`},
		{"a page", "<html><head><style>.user{}</style></head><body><nav class=\"user-menu\">x</nav>" +
			"<div data-role=\"user\"><div>Hi &amp; you<br>there</div></div><div data-role='assistant'><p>Hello</p><pre>a\n  b</pre></div><footer>us</footer></body></html>",
			"elements of a page that name a speaker", `{"role":"user","content":"Hi & you\nthere"} {"role":"assistant","content":"Hello\n\na\n  b"}`},
		{"classes of a page", "<html><p class=\"msg user-message\">Hi</p><p class=\"msg ai-message\">Hello</p>",
			"elements of a page that name a speaker", `{"role":"user","content":"Hi"} {"role":"assistant","content":"Hello"}`},
		{"numbered prompts", "#### Prompt 1\nA haiku.\n\n#### Response 1\nWater finds its way.\n\n#### Prompt 2\nMore.\n\n#### Response 2\nSnow keeps all its secrets.\n", "sections under Markdown headings",
			`{"role":"user","content":"A haiku."} {"role":"assistant","content":"Water finds its way."} {"role":"user","content":"More."} {"role":"assistant","content":"Snow keeps all its secrets."}`},
		{"numbered responses to one prompt", "## PROMPT 1\nA haiku.\n## RESPONSE 1\nWater.\n## RESPONSE 2\nSnow.\n## PROMPT 2\nMore.\n## RESPONSE 3\nIce.\n", "sections under Markdown headings",
			`{"role":"user","content":"A haiku."} {"role":"assistant","content":"Water."} {"role":"assistant","content":"Snow."} {"role":"user","content":"More."} {"role":"assistant","content":"Ice."}`},
		{"an exam and its answers", "## Question 1\nWhy is it so?\n## Question 2\nWhy not?\n## Answer 1\nIt is just so.\n## Answer 2\nIt is not.\n", "", ""},
		{"responses without numbers to one prompt", "## Prompt\nA haiku.\n## Response\nWater.\n## Response\nSnow.\n## Prompt\nMore.\n## Response\nIce.\n", "", ""},
		{"quotations", "> **Me**: How?\n> And why?\n\n> **Claude**: So.\n", "paragraphs that begin with a speaker in bold",
			`{"role":"user","content":"How?\nAnd why?"} {"role":"assistant","name":"Claude","content":"So."}`},
		{"a chat with a bot", "[2025-11-12 14:03:22] Anna: Hi\nyou\n[2025-11-12 14:03:25] Helpbot: Hello!\n[2025-11-12 14:04:01] Anna: Bye\n", "lines with a time and a speaker",
			`{"role":"user","name":"Anna","timestamp":"2025-11-12 14:03:22","content":"Hi\nyou"} {"role":"assistant","name":"Helpbot","timestamp":"2025-11-12 14:03:25","content":"Hello!"} {"role":"user","name":"Anna","timestamp":"2025-11-12 14:04:01","content":"Bye"}`},
		{"a chat of people", "[2025-11-12 14:03:22] Anna: Hi\n[2025-11-12 14:03:25] Ben: Hello!\n[2025-11-12 14:04:01] Anna: Bye\n", "", ""},
		{"the log of an agent", "[2025-11-03 09:12:01] agent: started with checks\n[2025-11-03 09:12:04] collector: took 12 values\n[2025-11-03 09:12:31] agent: all is well\n", "", ""},
		{"times and roles", "2025-11-03 09:12:01 - USER: list files\n2025-11-03 09:12:04 | BOT: a and b\n", "lines with a time and a speaker",
			`{"role":"user","timestamp":"2025-11-03 09:12:01","content":"list files"} {"role":"assistant","timestamp":"2025-11-03 09:12:04","content":"a and b"}`},
		{"bold names with clocks", "# Chat of 1/9/2026, 2:00:00 PM\n\n**YOU** (12:05:07 AM):\nWhy?\n\n---\n\n**PICO** (1:05 PM):\nSo.\n\n**YOU** (13:06):\nAh.\n\n**PICO** [2026-01-10 09:00]\nYes.\n", "paragraphs under a speaker in bold and a time",
			`{"role":"user","timestamp":"2026-01-09 00:05:07","content":"Why?"} {"role":"assistant","name":"PICO","timestamp":"2026-01-09 13:05:00","content":"So."} {"role":"user","timestamp":"2026-01-09 13:06:00","content":"Ah."} {"role":"assistant","name":"PICO","timestamp":"2026-01-10 09:00","content":"Yes."}`},
		{"bold names with clocks of no day", "**User** (12:05):\nWhy?\n\n**Bot** (12:06):\nSo.\n", "paragraphs under a speaker in bold and a time",
			`{"role":"user","content":"Why?"} {"role":"assistant","content":"So."}`},
		{"bold people with times", strings.Repeat("**Ada** [2026-01-10 09:00]\nWhere is it?\n\n**Bob** [2026-01-10 09:01]\nIt is here.\n\n", 3), "", ""},
		{"a bold interviewer with times", strings.Repeat("**Interviewer** [2026-01-10 09:00]\nWhere is it?\n\n**Bob** [2026-01-10 09:01]\nIt is here.\n\n", 3), "", ""},
		{"bold steps with times", "A transcript\n\n" + strings.Repeat("**Ada** [2026-01-10 09:00]\nWhere is it?\n\n", 4) + "**Bob** [2026-01-10 09:00]\nIt is here.\n", "", ""},
		{"names alone on lines", "A debate\n\n" + strings.Repeat("Ada:\nWhere is it?\n\nBob:\nIt is here.\nIndeed.\n\n", 4), "paragraphs that begin with a speaker",
			strings.TrimSpace(strings.Repeat(`{"role":"user","name":"Ada","content":"Where is it?"} {"role":"assistant","name":"Bob","content":"It is here.\nIndeed."} `, 4))},
		{"names alone on lines of another text", strings.Repeat("Ada:\nWhere is it?\n\nBob:\nIt is here.\n\n", 4), "", ""},
		{"values under names", "A debate\n\n" + strings.Repeat("Ada:\n12\n\nBob:\n14\n\n", 4), "", ""},
		{"a name that answers the user", "User: Why is it so?\nPico: It just is.\nUser: Ah, I see.\nPico: > Good.\nUser: So it is.\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"Why is it so?"} {"role":"assistant","name":"Pico","content":"It just is."} {"role":"user","content":"Ah, I see."} {"role":"assistant","name":"Pico","content":"Good."} {"role":"user","content":"So it is."}`},
		{"a name that answers an interviewer", strings.Repeat("Interviewer: Why is it so?\nPico: It just is.\n", 3), "", ""},
		{"a name in two exchanges", strings.Repeat("User: Why is it so?\nPico: It just is.\n", 2), "", ""},
		{"a name that answers the user once", "User: Why is it so?\nPico: It just is.\nUser: Ah, I see.\nAda: Good.\nUser: So it is.\nBob: Yes.\n", "", ""},
		{"two names of a record with a user", strings.Repeat("User: Why is it so?\nPico: It just is.\nAda: Good.\n", 3), "", ""},
		{"a user who asks nothing", strings.Repeat("User: It is not so.\nPico: It just is.\n", 3), "", ""},
		{"numbers within an answer", "User: Why?\nAssistant: Two parts.\nPart 1 answer: So.\nPart 2 reasoning: Hm.\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"Why?"} {"role":"assistant","content":"Two parts.\nPart 1 answer: So.\nPart 2 reasoning: Hm."}`},
		{"numbered labels", "USER REQUEST #1:\nTwo lines?\n\nASSISTANT RESPONSE:\nSo.\nNOTES:\n- no\n\nUSER REQUEST #2:\nOk.\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"Two lines?"} {"role":"assistant","content":"So.\nNOTES:\n- no"} {"role":"user","content":"Ok."}`},
		{"labels of sections, and chapters in an answer", strings.Repeat("SECTION 1.1 - PROMPT 1:\nWhy is it so?\n\nAI RESPONSE:\n# One\nIt is just so.\n", 2), "paragraphs that begin with a speaker",
			strings.TrimSpace(strings.Repeat(`{"role":"user","content":"Why is it so?"} {"role":"assistant","content":"# One\nIt is just so."} `, 2))},
		{"prompts of a manual", strings.Repeat("# One\nPrompt: Why is it so?\nModel: one that is small\n\n", 2), "", ""},
		{"times and speakers between signs", "--- Session of 2025-12-04 ---\n[2025-12-04 20:01:03] === USER ===\n--- Status ---\nGo.\n[2025-12-04 20:01:56] === GEMINI ===\nSo.\n[2025-12-04 20:01:58] === USER ===\nAh.\n", "paragraphs under a time and a speaker between signs",
			`{"role":"user","timestamp":"2025-12-04 20:01:03","content":"--- Status ---\nGo."} {"role":"assistant","name":"GEMINI","timestamp":"2025-12-04 20:01:56","content":"So."} {"role":"user","timestamp":"2025-12-04 20:01:58","content":"Ah."}`},
		{"stages with times between signs", strings.Repeat("[2025-12-04 20:01:03] === BUILD ===\nok\n[2025-12-04 20:01:56] === TEST ===\nok\n", 3), "", ""},
		{"rounds", "## R1 (user)\nWhy?\n\n### R1 thinking\nHm.\n\n### R1 reply\nSo.\n\n## Turn 2 — user\nAh.\n\n### Turn 2 answer\nYes.\n", "sections under Markdown headings",
			`{"role":"user","content":"Why?"} {"role":"assistant","content":[{"type":"thinking","thinking":"Hm."}]} {"role":"assistant","content":"So."} {"role":"user","content":"Ah."} {"role":"assistant","content":"Yes."}`},
		{"prompts of speakers", "user> 2+2\nassistant> It is 4.\n", "lines behind the prompt of a speaker", `{"role":"user","content":"2+2"} {"role":"assistant","content":"It is 4."}`},
		{"questions", "Q: How hot is it?\nA: It is very hot today.\n\nQ: And there?\nA: There it is quite cold.\n", "paragraphs that begin with a speaker",
			`{"role":"user","content":"How hot is it?"} {"role":"assistant","content":"It is very hot today."} {"role":"user","content":"And there?"} {"role":"assistant","content":"There it is quite cold."}`},
		{"a quiz", "Q1: When was it?\nA: 1987\n\nQ2: Who was it?\nA: Ben\n", "", ""},
		{"frequent questions", "# FAQ\n\n## Start\n\nQ: How do I start it?\nA: Press the button twice.\n\n## End\n\nQ: How do I end it?\nA: Pull the plug right away.\n", "", ""},
		{"what Python printed", "messages = [HumanMessage(content='How\\'s it?', additional_kwargs={}), AIMessage(content=\"It's so\" ' and so.', id=None, ok=True), (1, 'x')]\n", "what Python printed",
			`[{"content":"How's it?","additional_kwargs":{},"type":"human"},{"content":"It's so and so.","id":null,"ok":true,"type":"ai"},[1,"x"]]`},
		{"a model's input", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n", "the text that a model is sent",
			`{"role":"user","content":"Hi"} {"role":"assistant","content":"Yes."}`},
		{"instructions", "<s>[INST] Hi [/INST] Yes. </s><s>[INST] So? [/INST] No.</s>", "the text that a model is sent",
			`{"role":"user","content":"Hi"} {"role":"assistant","content":"Yes."} {"role":"user","content":"So?"} {"role":"assistant","content":"No."}`},
		{"a terminal", ">>> why is it blue\nBecause of the way light scatters.\n\n>>> and red in the evening\nThe way is longer then.\n>>> /bye\n", "a chat in a terminal",
			`{"user":"why is it blue","assistant":"Because of the way light scatters."} {"user":"and red in the evening","assistant":"The way is longer then."}`},
		{"an interpreter", ">>> import this\nBeautiful is better than ugly.\n>>> x = 3\n>>> print(x)\n3\n", "", ""},
		{"a text log", "2026-01-25 13:27:22: task_name=\"find\", task=\"Find it\", agent=\"Guide\", status=\"started\"\n2026-01-25 13:27:31: task_name=\"find\", task=\"Find it\", agent=\"Guide\", status=\"completed\", output=\"```\nIt is \"here\".\"\n2026-01-25 13:27:31: task_name=\"end\", task=\"Stop\", agent=\"Guide\", status=\"started\"\n", "text",
			`{"timestamp":"2026-01-25 13:27:22","task_name":"find","task":"Find it","agent":"Guide","status":"started"} {"timestamp":"2026-01-25 13:27:31","task_name":"find","task":"Find it","agent":"Guide","status":"completed","output":"` + "```" + `\nIt is \"here\"."} {"timestamp":"2026-01-25 13:27:31","task_name":"end","task":"Stop","agent":"Guide","status":"started"}`},
		{"a time and a model above a prompt", "# 2026-05-02T10:11:12    conversation: 01a id: 01b\n\nModel: **small** (resolved: **small-1**)\n\n## Prompt\n\nWhy?\n\n## Response\n\n## So\n\nIt is.\n", "Markdown of llm logs",
			`{"conversation_id":"01a","timestamp":"2026-05-02T10:11:12","model":"small","user":"Why?","assistant":"## So\n\nIt is."}`},
		{"times below headings", "# It\n\n## Prompt:\n5/2/2026, 10:11:12 PM\n\nWhy?\n\n## Response:\n5/2/2026, 10:11:20 PM\n\nSo.\n", "Markdown of Claude Exporter",
			`{"role":"user","timestamp":"5/2/2026, 10:11:12 PM","content":"Why?"} {"role":"assistant","timestamp":"5/2/2026, 10:11:20 PM","content":"So."}`},
		{"a model in the properties, and a heading in code", "### Why?\n\n```\n### a\n```\n### \n\n<!-- Local Variables: -->\n<!-- gptel-model: small -->\n<!-- gptel--bounds: ((response (11 24))) -->\n<!-- End: -->\n", "a chat of gptel",
			"{\"model\":\"small\",\"user\":\"Why?\",\"assistant\":\"```\\n### a\\n```\"}"},
		{"a heading in an answer", "### Why?\n\nSo.\n### Or\nNo.\n\n<!-- gptel--bounds: ((response (11 24))) -->\n", "", ""},
		{"times below messages", "---\nmodelKey: \"small|maker\"\n---\n**user**: Why?\n[Timestamp: 2026/01/30 03:49:46]\n\n**ai**: So.\n[Timestamp: 2026/01/30 03:49:47]\n", "a note of Obsidian Copilot",
			`{"role":"user","timestamp":"2026/01/30 03:49:46","content":"Why?"} {"role":"assistant","model":"small","timestamp":"2026/01/30 03:49:47","content":"So."}`},
		{"prose", "The user: a person.\nHe asks an assistant: a program.\n", "", ""},
		{"a manual", "# Tool\n\n## User\nWhat users do.\n\n## Administrator\nWhat they may.\n", "", ""},
		{"settings", "name: x\nlevel: 3\n", "", ""},
	} {
		l := find(test.text)
		if l == nil || test.layout == "" {
			if l != nil || test.layout != "" {
				t.Errorf("%s: %v, not %q", test.name, l, test.layout)
			}
			continue
		}
		var got []string
		for _, v := range l.sample([]byte(test.text)) {
			got = append(got, string(v))
		}
		if said := strings.Join(got, " "); l.name != test.layout || said != test.want {
			t.Errorf("%s: as %s\n%s\nnot\n%s", test.name, l.name, said, test.want)
		}
	}
}
