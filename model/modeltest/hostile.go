package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Attack is one text meant to affect a terminal, a page, a spreadsheet or the eyes of its reader.
type Attack struct{ Name, Text string }

// Attacks returns texts of all kinds. Each contains the word "seen", so that a test can find it in
// an output.
func Attacks() []Attack {
	list := []Attack{
		{"csi", "seen\x1b[2J\x1b[H\x1b[?1049h\x1b[?1000h\x1b[>4;2m\x1b[6n\x1b[c\x1b[31;1mred\x1b[0m\x1b[200~"},
		{"osc title", "seen\x1b]0;owned\x07\x1b]2;owned\x1b\\\x1b]l;owned\x1b\\"},
		{"osc clipboard", "seen\x1b]52;c;cm0gLXJmIH4K\x07\x1b]52;p;!\x1b\\"},
		{"osc link", "seen\x1b]8;;http://evil.example/\x1b\\http://good.example/\x1b]8;;\x1b\\"},
		{"osc other", "seen\x1b]1337;File=inline=1:AAAA\x07\x1b]9;note\x07\x1b]777;notify;a;b\x07\x1b]4;1;?\x07\x1b]133;A\x07"},
		{"dcs apc pm sos", "seen\x1bPq#0;2;0;0;0\x1b\\\x1b_Gf=100;AAAA\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\\x1bP+q544e\x1b\\"},
		{"escapes", "seen\x1bc\x1b7\x1b8\x1b(0\x1b#8\x1b=\x1b>\x1bD\x1bM\x1b%G\x1b\x1b\x1b"},
		{"c1", "seen\u009b2J\u009d0;owned\u009c\u0090q\u009c\u009f_\u009c\u0085\u008d\u0084"},
		{"c1 raw", "seen\x9b2J\x9d0;owned\x9c\x90q\x9c\x85"},
		{"unterminated osc", "seen\x1b]0;owned"},
		{"unterminated csi", "seen\x1b[38;2;"},
		{"unterminated dcs", "seen\x1bP1$r"},
		{"continued", "\x07owned\x1b\\2Jseen"},
		{"escape at the end", "seen\x1b"},
		{"nested", "seen\x1b\x1b]0;a\x07[2J\x1b[\x1b[2J\u009b\x1b]\u009d0;x\x07"},
		{"bidi", "seen \u202egnp.exe\u202c \u2066a\u2069 \u2067b\u2069 \u2068c\u2069 \u202a\u202b\u202d \u200e\u200f\u061c"},
		{"invisible", "se\u200ben\ufeff \u2060\u2061\u2064\u180e\u00ad\u2028\u2029\ufff9a\ufffab\ufffb seen"},
		{"tags", "seen\U000e0001\U000e0068\U000e0069\U000e007f\U000e0100"},
		{"combining", "seen" + strings.Repeat("\u0301\u0489\u20dd", 300)},
		{"joiners", "seen" + strings.Repeat("\u200d\u200c\ufe0f", 300)},
		{"homoglyph", "ѕееn seen pаypаl.com"},
		{"returns", "seen\rowned\r\rlast seen\r\n\rseen"},
		{"controls", "seen\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f\x7f"},
		{"tabs", "seen\ta\tb\t\t\tc"},
		{"invalid utf-8", "seen\xff\xfe\xc0\x80\xc1\xbf\xe0\x80\xaf\xed\xa0\x80\xed\xbf\xbf\xf4\x90\x80\x80\xf8\x88\x80\x80\x80\xe2\x82\xc3"},
		{"cut utf-8", "seen\xf0\x9f\x98"},
		{"invalid before escape", "seen\xe2\x1b[2J\xc2\x1b]0;a\x07\xf0\x9f\x9b2J"},
		{"script", `seen<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)><a href="javascript:alert(1)">a</a>`},
		{"attributes", `seen" onmouseover="alert(1)" x='` + "`" + ` style="background:url(http://evil.example/a)"`},
		{"closers", "seen</pre></code></textarea></style></title></script><script src=//evil.example/x.js></script>--><!-- ]]><iframe src=http://evil.example>"},
		{"links", "seen [a](javascript:alert(1)) ![b](http://evil.example/p.png) <http://evil.example> [c]: http://evil.example\n<img src=http://evil.example/q>"},
		{"data url", "seen ![x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)"},
		{"references", "seen &#27;[2J&#x1b;]0;owned&#7; &#155;2J &#x9b;2J &amp;#27;[8m &#8238;x &lrm;&shy;&ZeroWidthSpace;&#xE0041; `&#27;[8m` **&#27;[8m**"},
		{"markdown links", "seen [http://good.example](http://evil.example) [a](ssh://evil) <javascript:alert(1)> [b](x-man-page:ls) ![c](data:text/html,x) [d][e]\n\n[e]: smb://evil/share"},
		{"fence", "seen\n```\n~~~\n`````````\n# owned\n~~~~~~~~\n<details>\n</details>\n---\n| a | b |\n"},
		{"formula", "=HYPERLINK(\"http://evil.example\";\"seen\")"},
		{"formula plus", "+seen+cmd|' /C calc'!A0"},
		{"formula minus", "-2+3+seen"},
		{"formula at", "@SUM(1+1)*seen"},
		{"formula tab", "\t=1+seen"},
		{"formula return", "\r=1+seen"},
		{"formula newline", "\n=1+seen"},
		{"formula wide", "＝1+seen"},
		{"formula escape", "\x1b[m=1+seen"},
		{"separators", "seen;=1,\"=2\"\t=3\n=4|=5"},
		{"path", "/etc/passwd seen ../../../../etc/shadow file:///etc/passwd"},
		{"nul path", "seen\x00/../../etc/passwd"},
	}
	for c := rune(0); c < 0x20; c++ { // every control alone, at the start and behind an escape
		list = append(list, Attack{fmt.Sprintf("c0 %02x", c), fmt.Sprintf("%cseen%c\x1b%c seen", c, c, c)})
	}
	for c := rune(0x7f); c < 0xa0; c++ {
		list = append(list, Attack{fmt.Sprintf("c1 %02x", c), fmt.Sprintf("%cseen%c", c, c)})
	}
	for c := byte(0x20); c < 0x7f; c++ { // every final byte of CSI, every second byte of an escape
		list = append(list, Attack{fmt.Sprintf("esc %q", c), "seen\x1b" + string(c) + "seen\x1b[1;2" + string(c) + "seen"})
	}
	return list
}

// Carrier is a conversation with a text in each place that a transcript has.
func Carrier() []byte {
	return []byte(`{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","cwd":"/w","gitBranch":"b","version":"2.0","timestamp":"2026-02-11T10:00:00Z","message":{"role":"user","content":"hello"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s1","timestamp":"2026-02-11T10:00:01Z","requestId":"r","message":{"id":"m","role":"assistant","model":"model","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"answer"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/f","old_string":"a","new_string":"b"}},{"type":"tool_use","id":"t3","name":"mine","input":{"q":{"r":["s"]}}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":3}}}
{"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"s1","timestamp":"2026-02-11T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"out","is_error":true},{"type":"tool_result","tool_use_id":"t3","content":[{"type":"text","text":"part"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}}
{"type":"system","subtype":"compact_boundary","uuid":"c1","parentUuid":"u2","sessionId":"s1","timestamp":"2026-02-11T10:00:03Z","content":"compacted"}
{"type":"summary","summary":"a summary","leafUuid":"u2"}
`)
}

// keywords are the fields whose values say what a record is; an attack that
// changed them would only make it unknown.
var keywords = map[string]bool{
	"type": true, "role": true, "kind": true, "object": true, "event": true, "op": true, "table": true,
	"t": true, "v": true, "version": true, "schema_version": true, "format": true, "sender": true,
	"author_role": true, "subtype": true, "part_kind": true, "payload_type": true,
}

// Attacked appends the attack to every text of a JSON transcript and adds a field with this name to
// every object: contents, names, ids, arguments, keys. In text without JSON it appends the attack
// to each line. With raw it writes the attack's bytes unescaped if JSON allows it.
func Attacked(transcript []byte, attack string, raw bool) []byte {
	var out bytes.Buffer
	quoted := inner(attack, raw)
	for line := range bytes.Lines(transcript) {
		if !json.Valid(line) { // not JSON lines: perhaps a document
			out.Reset()
			break
		}
		rewrite(&out, line, quoted)
	}
	if out.Len() > 0 {
		return out.Bytes()
	}
	if json.Valid(transcript) {
		rewrite(&out, transcript, quoted)
		return out.Bytes()
	}
	for line := range bytes.Lines(transcript) {
		out.Write(bytes.TrimRight(line, "\n"))
		out.WriteString(attack)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// inner is s as it stands between the quotes of a JSON string.
func inner(s string, raw bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 && !(raw && c == 0x1b):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// rewrite copies JSON, with the attack in it. A string begins an object's key
// where the state machine below says so; nothing else of the grammar matters.
func rewrite(out *bytes.Buffer, data []byte, attack string) {
	type level struct{ object, value bool }
	var stack []level
	key := ""
	for i := 0; i < len(data); i++ {
		c := data[i]
		top := len(stack) - 1
		switch c {
		case '{':
			stack = append(stack, level{object: true})
			out.WriteByte(c)
			if next := bytes.TrimLeft(data[i+1:], " \t\r\n"); len(next) > 0 && next[0] == '"' {
				// First, so that no field which a parser looks for at a fixed place moves
				// behind it, would be as good as last; first is what a lazy reader meets.
				fmt.Fprintf(out, `"x%s":"y%s",`, attack, attack)
			}
			continue
		case '[':
			stack = append(stack, level{})
		case '}', ']':
			if top >= 0 {
				stack = stack[:top]
			}
		case ':':
			if top >= 0 {
				stack[top].value = true
			}
		case ',':
			if top >= 0 {
				stack[top].value = false
			}
		case '"':
			end := i + 1
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			s := data[i+1 : min(end, len(data))]
			isKey := top >= 0 && stack[top].object && !stack[top].value
			if isKey {
				key = string(s)
			}
			out.WriteByte('"')
			out.Write(s)
			if !isKey && !keywords[key] && !looksLikeTime(s) {
				out.WriteString(attack)
			}
			out.WriteByte('"')
			i = end
			continue
		}
		out.WriteByte(c)
	}
}

func looksLikeTime(s []byte) bool {
	return len(s) >= 10 && s[0] == '2' && s[4] == '-' && s[7] == '-'
}
