package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/described"
)

// TestWeights: reasoning, calls and results have the largest weight for the kind of a record, a
// text the smallest. For a field, the name of a speaker weighs more than that of a question.
func TestWeights(t *testing.T) {
	for class, want := range map[described.Class]float64{
		described.User: 3, described.Assistant: 3, described.System: 2, described.Developer: 2, described.Text: 1,
		described.Reasoning: 4, described.Call: 4, described.Result: 4, described.Tool: 3,
	} {
		if got := weights[class]; got != want {
			t.Errorf("%v weighs %v, not %v", class, got, want)
		}
	}
	for field, want := range map[string]int{"user": 3, "bot_reply": 3, "question": 1, "output": 1, "colour": 0} {
		if _, got := sideOf([]string{field}); got != want {
			t.Errorf("%s is certain by %d, not %d", field, got, want)
		}
	}
	if want := strings.Fields("speaker sender author player character persona role from who"); !slices.Equal(strictKeys, want) {
		t.Errorf("%q occur almost only in messages, not %q", strictKeys, want)
	}
}

// TestGrows: the first 12 records of a sample show whether each repeats the one before.
func TestGrows(t *testing.T) {
	states := func(n int) (list []string) {
		messages := "1"
		for i := range n {
			messages += fmt.Sprint(",", i)
			list = append(list, `{"values":{"messages":[`+messages+`]}}`)
		}
		return list
	}
	other := `{"messages":[5,6]}`
	for name, c := range map[string]struct {
		records []string
		want    bool
	}{
		"two":               {states(2), true},
		"one":               {states(1), false},
		"none":              {nil, false},
		"the same":          {[]string{other, other}, false},
		"empty":             {[]string{`{"messages":[]}`, `{"messages":[]}`}, false},
		"from empty":        {[]string{`{"messages":[]}`, other}, true},
		"no messages":       {[]string{`{"a":1}`, `{"a":1}`}, false},
		"not a list":        {[]string{`{"messages":{}}`, `{"messages":{}}`}, false},
		"the 12th is other": {append(states(11), other), false},
		"the 13th is other": {append(states(12), other), true},
	} {
		lines := &model.Sample{Shape: model.Lines}
		for _, r := range c.records {
			lines.Records = append(lines.Records, []byte(r))
		}
		list := &model.Sample{Shape: model.Document, Doc: []byte("[" + strings.Join(c.records, ",") + "]")}
		if a, b := Grows(lines), Grows(list); a != c.want || b != c.want {
			t.Errorf("%s: %v in lines and %v in a list, not %v", name, a, b, c.want)
		}
	}
	if Grows(&model.Sample{Shape: model.Document, Doc: []byte(`{"messages":[1]}`)}) || Grows(&model.Sample{Shape: model.Prose}) {
		t.Error("a document that is not a list grows")
	}
}

// TestRolesOfAStart: a draft of a description lists at most 24 speakers.
func TestRolesOfAStart(t *testing.T) {
	for n, want := range map[int]string{24: "party", 25: "=assistant"} {
		s := &model.Sample{Shape: model.Lines}
		for i := range 3 * n {
			s.Records = append(s.Records, fmt.Appendf(nil, `{"party":"north %c","said":"we open the lock number %d"}`, 'a'+i%n, i))
		}
		if got := Start(s).Rules[0].Role; got != want {
			t.Errorf("the role of %d speakers is %q, not %q", n, got, want)
		}
	}
}

// TestValuesOfASample: turns reads 60,000 values of a sample, and objects below 16 others.
func TestValuesOfASample(t *testing.T) {
	find := func(doc string) bool {
		return Find(&model.Sample{Shape: model.Document, Doc: []byte(doc), Whole: true}, saying()) != nil
	}
	talk := `{"r":"user","t":"List the files"},{"r":"assistant","t":"There are two"}`
	for zeros, want := range map[int]bool{60_000 - 9: true, 60_000: false} {
		if got := find(`{"a":[` + strings.Repeat("0,", zeros-1) + `0],"b":[` + talk + `]}`); got != want {
			t.Errorf("behind %d values: %v", zeros, got)
		}
	}
}

// TestLeastMessages: six messages between records of other kinds are a conversation, five are not.
func TestLeastMessages(t *testing.T) {
	for n, want := range map[int]bool{6: true, 5: false} {
		rows := slices.Repeat([]string{`{"event":"tick","after":7}`}, n)
		for i := range n {
			rows = append(rows, fmt.Sprintf(`{"sender":%q,"said":"We open the lock number %d now."}`, []string{"user", "bot"}[i%2], i))
		}
		if got := Talk(sampleOf([]byte("["+strings.Join(rows, ",")+"]")), saying()) != nil; got != want {
			t.Errorf("%d messages are a conversation: %v", n, got)
		}
	}
}

// TestLargestCast: a model plays at most twelve parts of a conversation.
func TestLargestCast(t *testing.T) {
	for n, want := range map[int]bool{12: true, 13: false} {
		var rows []string
		for i := range 3 * n {
			rows = append(rows, fmt.Sprintf(`{"speaker":"north %c","round":%d,"said":"We open the lock number %d now."}`, 'a'+i%n, i/n, i))
		}
		if got := Talk(sampleOf([]byte("["+strings.Join(rows, ",")+"]")), saying()) != nil; got != want {
			t.Errorf("%d parts are a conversation: %v", n, got)
		}
	}
}

// TestShares: most values are more than half of them, and packed ones are JSON in a string.
func TestShares(t *testing.T) {
	for values, want := range map[string][4]bool{ // most, all and some are x; most are packed
		`"y","y"`: {}, `"x","y"`: {false, false, true, false}, `"x","x","y"`: {true, false, true, false}, `"x","x"`: {true, true, true, false},
		`"{\"a\":1}","y"`: {}, `"{\"a\":1}","[{}]","y"`: {false, false, false, true},
	} {
		var rows []string
		for v := range strings.SplitSeq(values, ",") {
			rows = append(rows, `{"f":`+v+`}`)
		}
		f := viewOf(rowsOf(rows...)).scalars[0]
		x := func(v *value) bool { return v.text == "x" }
		if got := [...]bool{f.most(x), f.all(x), f.any(x), f.packed()}; got != want {
			t.Errorf("%s: %v, want %v", values, got, want)
		}
	}
}

// TestHalves: half of a number is not most of it.
func TestHalves(t *testing.T) {
	for n, want := range [...][2]bool{1: {false, false}, 2: {false, true}, 3: {true, true}} {
		if got := [...]bool{mostOf(n, 4), halfOf(n, 4)}; got != want {
			t.Errorf("%d of 4 are most, and half: %v, want %v", n, got, want)
		}
	}
}

// TestTimes: nine of ten values of a field with times are dates, or seconds since 1970.
func TestTimes(t *testing.T) {
	day, seconds, word := `"2026-01-05"`, `1767600000`, `"Monday"`
	for want, values := range [...][]string{0: append(slices.Repeat([]string{day}, 8), word), 1: append(slices.Repeat([]string{seconds}, 9), word)} {
		var rows []string
		for _, v := range values {
			rows = append(rows, `{"f":`+v+`}`)
		}
		if got := viewOf(rowsOf(rows...)).scalars[0].timeScore(); got != float64(want) {
			t.Errorf("%s: %v, want %d", values, got, want)
		}
	}
	if got := viewOf(rowsOf(`{"timestamp":` + day + `}`)).scalars[0].timeScore(); got != 3 {
		t.Errorf("a timestamp has %v, want 3", got)
	}
}
