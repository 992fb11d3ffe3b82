package described

import "testing"

// TestConditionsOfValues checks conditions on values and their beginnings.
func TestConditionsOfValues(t *testing.T) {
	for _, test := range []struct {
		condition, record string
		want              bool
	}{
		{"kind=a|b", `{"kind":"b"}`, true},
		{"kind=a|b", `{"kind":"ab"}`, false},
		{"kind=3", `{"kind":3}`, true},
		{"text=<error>*", `{"text":"<error> no such file"}`, true},
		{"text=<error>*", `{"text":"an <error>"}`, false},
		{"!text=<error>*|<cancel>*", `{"text":"<cancel>"}`, false},
		{"text=*", `{"text":"*"}`, true},
		{"text=*", `{"text":"a"}`, false},
		{"parts[].text=<e*", `{"parts":[{"text":"a"},{"text":"<e>"}]}`, true},
	} {
		c, err := parseCondition(test.condition)
		if err != nil {
			t.Fatalf("%q: %v", test.condition, err)
		}
		if got := c.holdsIn([]byte(test.record)); got != test.want {
			t.Errorf("%q in %s: %v, want %v", test.condition, test.record, got, test.want)
		}
	}
}
