package source

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"turns/model/modeltest"
)

func TestMsgpackJSON(t *testing.T) {
	type p = modeltest.Pairs
	python := func(kind byte, v any) modeltest.Extension {
		return modeltest.Extension{Type: kind, Value: []any{"langchain_core.messages.ai", "AIMessage", v, "model_validate_json"}}
	}
	for _, test := range []struct {
		name string
		in   []byte
		want string
	}{
		{"scalars", modeltest.Pack([]any{nil, true, false, 5, -7, 1.5, "é\"\n"}), `[null,true,false,5,-7,1.5,"é\"\n"]`},
		{"the first and last of the short forms", []byte("\x95\x7f\x80\x90\xa0\xe0"), `[127,{},[],"",-32]`},
		{"a map without its key", []byte("\x81"), ""},
		{"no number", modeltest.Pack([]any{math.NaN(), math.Inf(1)}), `[null,null]`},
		{"short forms", []byte("\x95\x05\xff\xcc\xc8\xd1\xff\x00\xd9\x02ab"), `[5,-1,200,-256,"ab"]`},
		{"wider ones", []byte("\x95\xcd\x01\x00\xce\x00\x01\x00\x00\xd0\xfe\xd2\xff\xff\xff\xff\xca\x3f\x00\x00\x00"), `[256,65536,-2,-1,0.5]`},
		{"lists and maps of 16 bits", []byte("\xdc\x00\x02\x01\xde\x00\x01\xa1k\xda\x00\x01v"), `[1,{"k":"v"}]`},
		{"any key", modeltest.Pack(p{1, "a", true, "b", "c", 2}), `{"1":"a","true":"b","c":2}`},
		{"long", modeltest.Pack(strings.Repeat("x", 40)), `"` + strings.Repeat("x", 40) + `"`},
		{"bytes", modeltest.Pack([]any{[]byte("text"), []byte{0xff, 0}}), `["text",{"$blob":{"bytes":2}}]`},
		{"a message", modeltest.Pack([]any{python(5, p{"type", "ai", "more", python(0, "x")})}), `[{"type":"ai","more":"x"}]`},
		{"a fixed extension", []byte("\xd6\x00\x93\xa0\xa0\x07"), `7`},
		{"another's extension", []byte("\xd6\x2a\x93\xa0\xa0\x07"), `{"$extension":{"type":42,"bytes":4}}`},
		{"an extension that lies", []byte("\xd4\x05\x01"), `{"$extension":{"type":5,"bytes":1}}`},
		{"more than one", []byte("\x01\x02"), ""},
		{"cut off", []byte("\x92\x01"), ""},
		{"a length that lies", []byte("\xdd\xff\xff\xff\xff\x01"), ""},
		{"nothing", nil, ""},
		{"JSON", []byte(`{"v":1}`), ""},
		{"reserved", []byte{0xc1}, ""},
		{"deep", []byte(strings.Repeat("\x91", 200) + "\x01"), strings.Repeat("[", 200) + "1" + strings.Repeat("]", 200)},
		{"too deep", []byte(strings.Repeat("\x91", 201) + "\x01"), ""},
	} {
		got, ok := msgpackJSON(nil, test.in)
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s: %s %v, want %s", test.name, got, ok, test.want)
		}
		if ok && !json.Valid(got) {
			t.Errorf("%s: %s is not JSON", test.name, got)
		}
	}
}

func FuzzMsgpack(f *testing.F) {
	f.Add([]byte("\x95\x05\xff\xcc\xc8\xd1\xff\x00\xd9\x02ab"))
	f.Add(modeltest.Pack(modeltest.Extension{Type: 5, Value: []any{"m", "C", modeltest.Pairs{"a", 1.5}}}))
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, ok := msgpackJSON(nil, in); ok && !json.Valid(got) {
			t.Errorf("%x: %s is not JSON", in, got)
		}
	})
}
