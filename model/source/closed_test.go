package source

import (
	"encoding/json"
	"testing"
)

func TestClosed(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"role":"user","content":"abc`, `{"role":"user","content":"abc"}`},
		{`{"role":"user","content":"abc\`, `{"role":"user","content":"abc"}`},
		{`{"role":"user","content":"abc\u12`, `{"role":"user","content":"abc"}`},
		{`{"role":"user","con`, `{"role":"user"}`},
		{`{"role":"user","content"`, `{"role":"user"}`},
		{`{"role":"user","content":`, `{"role":"user"}`},
		{`{"role":"user",`, `{"role":"user"}`},
		{`[{"a":1},{"b":[tr`, `[{"a":1},{"b":[]}]`},
		{`[{"a":12`, `[{}]`},
		{`{"a":12,`, `{"a":12}`},
		{`[1,2`, `[1]`},
		{`[`, `[]`},
		{`{"a":{}}`, `{"a":{}}`},
	}
	for _, test := range tests {
		if got := string(closed([]byte(test.in))); got != test.want {
			t.Errorf("closed(%s) = %s, want %s", test.in, got, test.want)
		}
	}
	// Every prefix of a document closes to JSON.
	doc := `{"id":"x\"\\y","n":-1.5e3,"list":[true,null,{"k":[[],"\u00e9"]}],"last":{"a":false}}`
	for n := 1; n <= len(doc); n++ {
		if got := closed([]byte(doc[:n])); !json.Valid(got) {
			t.Errorf("closed(%s) = %s is not JSON", doc[:n], got)
		}
	}
}
