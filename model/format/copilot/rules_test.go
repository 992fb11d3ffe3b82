package copilot

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"turns/model"
	"turns/model/format/formattest"
)

// TestEvents reads events of the command line.
func TestEvents(t *testing.T) { formattest.Lines(t, "testdata/events.jsonl", copilotCLIParse) }

// TestRequests reads requests of VS Code with their responses.
func TestRequests(t *testing.T) {
	formattest.Lines(t, "testdata/requests.jsonl", func(rec model.Record, fs *model.Facts) error {
		rec.List = "requests"
		return vscodeParse(rec, fs)
	})
}

// TestReplay builds documents from logs of edits.
func TestReplay(t *testing.T) {
	const first = `{"kind":0,"v":{"a":1,"l":[1,2,3]}}` + "\n"
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		log  string
		fail error
		want string // the document, and the error behind it
	}{
		"a document":              {"{\"a\":1,\n\"b\":2}\n", nil, "{\"a\":1,\n\"b\":2}\n"},
		"a kind that is a word":   {`{"kind":"0","v":1}`, nil, `{"kind":"0","v":1}`},
		"a list":                  {`[{"kind":0}]`, nil, `[{"kind":0}]`},
		"nothing":                 {"", nil, ""},
		"blank lines":             {" \n\n" + first + "\n\x00\n", nil, `{"a":1,"l":[1,2,3]}`},
		"other fields first":      {`{"x":[0],"kind":0,"v":{}}`, nil, "{}"},
		"a reader that fails":     {"", broken, " broken"},
		"a document that breaks":  {"{}\n", broken, "{}\n broken"},
		"edits that break":        {first, broken, " broken"},
		"no state":                {`{"kind":1,"k":["a"],"v":1}` + "\n", nil, " edit in line 1: it comes before the first state\nthere is no first state"},
		"no value":                {`{"kind":0}` + "\n" + first, nil, `{"a":1,"l":[1,2,3]} edit in line 1: its kind 0 is not known`},
		"unknown kinds":           {first + `{"kind":4,"k":["a"]}` + "\n" + `{"kind":5,"k":["a"]}` + "\n", nil, `{"a":1,"l":[1,2,3]} edit in line 2: its kind 4 is not known`},
		"no kind":                 {first + `{"k":["a"]}` + "\n", nil, `{"a":1,"l":[1,2,3]} edit in line 2: its kind -1 is not known`},
		"a bad line":              {first + `{"kind":1,"k":["a"],"v":` + "\n" + `{"kind":1,"k":["a"],"v":2}`, nil, `{"a":2,"l":[1,2,3]} edit in line 2: unexpected end at byte 24`},
		"an incomplete line":      {first + `{"kind":1,"k":["a"],"v":`, nil, `{"a":1,"l":[1,2,3]}`},
		"a new value":             {first + `{"kind":1,"k":["b","c"],"v":2}`, nil, `{"a":1,"l":[1,2,3],"b":{"c":2}}`},
		"an element":              {first + `{"kind":1,"k":["l",1],"v":"x"}`, nil, `{"a":1,"l":[1,"x",3]}`},
		"an element at the end":   {first + `{"kind":1,"k":["l",3],"v":"x"}`, nil, `{"a":1,"l":[1,2,3,"x"]}`},
		"a new document":          {first + `{"kind":1,"k":[],"v":{"b":2}}`, nil, `{"b":2}`},
		"no new document":         {first + `{"kind":1,"k":[]}`, nil, `{"a":1,"l":[1,2,3]}`},
		"a cut of the document":   {first + `{"kind":2,"k":[],"v":[4]}`, nil, `{"a":1,"l":[1,2,3]}`},
		"a deletion":              {first + `{"kind":3,"k":["a"]}`, nil, `{"l":[1,2,3]}`},
		"a deletion by no value":  {first + `{"kind":1,"k":["l"]}`, nil, `{"a":1}`},
		"a deletion in a list":    {first + `{"kind":3,"k":["l",0]}`, nil, `{"a":1,"l":[null,2,3]}`},
		"a deletion of nothing":   {first + `{"kind":3,"k":["b"],"v":1}`, nil, `{"a":1,"l":[1,2,3]}`},
		"a deletion at the end":   {first + `{"kind":3,"k":["l",3]}`, nil, `{"a":1,"l":[1,2,3]}`},
		"more elements":           {first + `{"kind":2,"k":["l"],"v":[4,5]}`, nil, `{"a":1,"l":[1,2,3,4,5]}`},
		"other elements":          {first + `{"kind":2,"k":["l"],"i":0,"v":[4]}`, nil, `{"a":1,"l":[4]}`},
		"the first and others":    {first + `{"kind":2,"k":["l"],"i":1,"v":[4]}`, nil, `{"a":1,"l":[1,4]}`},
		"a cut behind the end":    {first + `{"kind":2,"k":["l"],"i":4,"v":[4]}`, nil, `{"a":1,"l":[1,2,3,4]}`},
		"a list instead of a sum": {first + `{"kind":2,"k":["a"],"v":[4]}`, nil, `{"a":[4],"l":[1,2,3]}`},
		"a path through a number": {first + `{"kind":1,"k":["a","b"],"v":2}` + "\n", nil, `{"a":1,"l":[1,2,3]} edit in line 2: its path leads nowhere at "\"b\""`},
		"a name in a list":        {first + `{"kind":1,"k":["l","b","c"],"v":2}` + "\n", nil, `{"a":1,"l":[1,2,3]} edit in line 2: its path leads nowhere at "\"b\""`},
		"two edits of one list":   {first + `{"kind":1,"k":["l",0],"v":[]}` + "\n" + `{"kind":2,"k":["l",0],"v":[7]}`, nil, `{"a":1,"l":[[7],2,3]}`},
	} {
		log := io.Reader(strings.NewReader(c.log))
		if c.fail != nil {
			log = io.MultiReader(log, iotest.ErrReader(c.fail))
		}
		var doc strings.Builder
		err := VscodeReplayLog(log, &doc)
		got := doc.String()
		if VscodeIsOp([]byte(strings.TrimLeft(c.log, " \n"))) {
			got = strings.TrimSuffix(got, "\n")
		}
		if err != nil {
			got += " " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDetection recognises chats of VS Code and events of the command line by a few of their fields.
func TestDetection(t *testing.T) {
	const event = `{"type":"user.message","id":"1","data":{}}`
	for _, c := range []struct {
		format        *model.Format
		name, records string
		want          bool
	}{
		{CLIFormat(), "an event", event, true},
		{CLIFormat(), "half events", event + "\n{}", true},
		{CLIFormat(), "fewer events", event + "\n{}\n{}", false},
		{CLIFormat(), "nothing", "", false},
		{CLIFormat(), "an event without an id", `{"type":"user.message","data":{}}`, false},
		{CLIFormat(), "an event without data", `{"type":"user.message","id":"1"}`, false},
		{VSCodeFormat(), "requests and one field", `{"requests":[],"sessionId":"1"}`, false},
		{VSCodeFormat(), "requests and two fields", `{"requests":[],"sessionId":"1","creationDate":1}`, true},
		{VSCodeFormat(), "a request and one field", `{"requests":[{"requestId":"1","response":[]}],"sessionId":"1"}`, true},
		{VSCodeFormat(), "prompts", `{"prompts":[]}`, false},
		{VSCodeFormat(), "prompts and a field", `{"prompts":[{"logs":[]}],"totalPrompts":1}`, true},
		{VSCodeFormat(), "prompts without logs", `{"prompts":[{}],"totalPrompts":1}`, false},
		{VSCodeFormat(), "a state with requests and a field", `{"kind":0,"v":{"requests":[],"sessionId":"1"}}`, true},
		{VSCodeFormat(), "a state with requests", `{"kind":0,"v":{"requests":[]}}`, false},
		{VSCodeFormat(), "a state with a field", `{"kind":0,"v":{"sessionId":"1"}}`, false},
		{VSCodeFormat(), "a state with two fields", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}`, true},
		{VSCodeFormat(), "a state before another", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}` + "\n" + `{"kind":0,"v":{}}`, true},
		{VSCodeFormat(), "an edit", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}` + "\n" + `{"kind":3,"k":[]}`, true},
		{VSCodeFormat(), "an unknown edit", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}` + "\n" + `{"kind":4,"k":[]}`, false},
		{VSCodeFormat(), "an edit of no kind", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}` + "\n" + `{"kind":-1,"k":[]}`, false},
		{VSCodeFormat(), "an edit without a place", `{"kind":0,"v":{"sessionId":"1","creationDate":1}}` + "\n" + `{"kind":1}`, false},
		{VSCodeFormat(), "edits without a state", `{"kind":1,"k":[]}`, false},
	} {
		s := &model.Sample{Shape: model.Lines}
		for line := range strings.Lines(c.records) {
			s.Records = append(s.Records, []byte(line))
		}
		if got := c.format.Detect(s).Score > 0; got != c.want {
			t.Errorf("%s as %s: %v, want %v", c.name, c.format.Name, got, c.want)
		}
		s.Shape = model.Prose
		if c.format.Detect(s).Score > 0 {
			t.Errorf("%s as %s: text is recognised", c.name, c.format.Name)
		}
	}
	agent := CLIFormat().Agent
	if got := agent(&model.Session{}); got != "" {
		t.Errorf("the agent of a session on the command line is %q", got)
	}
}
