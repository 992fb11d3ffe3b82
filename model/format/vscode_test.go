package format

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/copilot"
	"turns/model/format/cursor"
	"turns/model/jsonspan"
)

var vscodeLogs = []struct{ name, in, want, err string }{
	{"no log", "{\"requests\":\n[]}", "{\"requests\":\n[]}", ""},
	{"first state", `{"kind":0,"v":{"a":1}}`, `{"a":1}`, ""},
	{"set", `{"kind":0,"v":{"a":1,"b":[{"c":1}]}}` + "\n" + `{"kind":1,"k":["b",0,"c"],"v":"x\n"}` + "\n" + `{"kind":1,"k":["d","e"],"v":null}`,
		`{"a":1,"b":[{"c":"x\n"}],"d":{"e":null}}`, ""},
	{"set to nothing", `{"kind":0,"v":{"a":1,"b":2}}` + "\n" + `{"kind":1,"k":["a"]}`, `{"b":2}`, ""},
	{"push", `{"kind":0,"v":{"a":[1,2]}}` + "\n" + `{"kind":2,"k":["a"],"v":[3,4]}`, `{"a":[1,2,3,4]}`, ""},
	{"splice", `{"kind":0,"v":{"a":[1,2,3]}}` + "\n" + `{"kind":2,"k":["a"],"v":[9],"i":1}` + "\n" + `{"kind":2,"k":["a"],"i":1}`, `{"a":[1]}`, ""},
	{"push to what is not there", `{"kind":0,"v":{}}` + "\n" + `{"kind":2,"k":["a"],"v":[3]}`, `{"a":[3]}`, ""},
	{"delete", `{"kind":0,"v":{"a":1,"b":{"c":1}}}` + "\n" + `{"kind":3,"k":["b","c"]}` + "\n" + `{"kind":3,"k":["x"]}`, `{"a":1,"b":{}}`, ""},
	{"another first state", `{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":0,"v":{"b":1}}` + "\n", `{"b":1}`, ""},
	{"still being written", `{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":1,"k":["a"],"v":[1`, `{"a":1}`, ""},
	{"damaged", `{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":1,"k":["a"` + "\n" + `{"kind":1,"k":["a"],"v":2}` + "\n", `{"a":2}`, "edit in line 2: "},
	{"wrong way", `{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":1,"k":["a",0],"v":2}` + "\n", `{"a":1}`, `its path leads nowhere at "0"`},
	{"no first state", `{"kind":1,"k":["a"],"v":2}` + "\n", ``, "there is no first state"},
}

func TestVscodeReplayLog(t *testing.T) {
	for _, test := range vscodeLogs {
		var out bytes.Buffer
		err := copilot.VscodeReplayLog(strings.NewReader(test.in), &out)
		if got := strings.TrimSpace(out.String()); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		switch {
		case test.err == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: the error is %v, want %s", test.name, err, test.err)
		}
	}
}

func TestVscodeLogIsDetected(t *testing.T) {
	log := `{"kind":0,"v":{"version":3,"sessionId":"s","creationDate":1,"requests":[]}}` + "\n" +
		`{"kind":2,"k":["requests"],"v":[{"requestId":"r","message":{"text":"Hi"},"response":[]}]}` + "\n"
	f, m := Detect(sampleOf("a.jsonl", []byte(log)))
	if f.Name != "vscode-copilot" || m.Reason == "" {
		t.Errorf("detected as %s", f.Name)
	}
	other := `{"kind":0,"v":1}` + "\n" + `{"kind":1,"v":2}` + "\n"
	if f, _ := Detect(sampleOf("a.jsonl", []byte(other))); f.Name == "vscode-copilot" {
		t.Error("numbers of kinds alone are taken for a chat")
	}
}

func FuzzVscodeReplayLog(f *testing.F) {
	for _, test := range vscodeLogs {
		f.Add([]byte(test.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		first, _, _ := bytes.Cut(bytes.TrimLeft(in, " \n\r\t"), []byte("\n"))
		if err := copilot.VscodeReplayLog(bytes.NewReader(in), &out); err != nil || !copilot.VscodeIsOp(first) {
			return
		}
		if _, rest, err := jsonspan.Cut(out.Bytes()); err != nil || len(bytes.TrimSpace(rest)) > 0 {
			t.Errorf("%q makes %q", in, out.Bytes())
		}
	})
}

// A splitter must cut a stream at the same places however much of it is available at a time.
func TestCursorSplitterInPieces(t *testing.T) {
	text := []byte("user:\n<user_query>\nHi\n</user_query>\n\nassistant:\n[Thinking] Hm\nso\n[Tool call] Shell\n  c: ls\n[Tool result] Shell\nx\r\nassistant:\r\nDone")
	cut := func(piece int) (sections []string) {
		var s model.Splitter = cursor.CursorSplitter{}
		for off, have := 0, 0; off < len(text); {
			rec, n := s.Split(text[off:have], have == len(text))
			if n == 0 {
				have = min(have+piece, len(text))
				continue
			}
			if len(rec.Data) > 0 {
				sections = append(sections, string(rec.Data))
			}
			off += n
		}
		return sections
	}
	want := cut(len(text))
	if len(want) != 6 {
		t.Errorf("got %d sections: %q", len(want), want)
	}
	for piece := 1; piece < len(text); piece++ {
		if got := cut(piece); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("in pieces of %d: got %q, want %q", piece, got, want)
		}
	}
}
