package many

import "testing"

// TestRepositoryOf: the commits and pull requests in the records of agents.
func TestRepositoryOf(t *testing.T) {
	for _, c := range []struct{ record, commit, pull string }{
		{`{"type":"session_meta","payload":{"git":{"commit_hash":"d002f64","branch":"main"}}}`, "d002f64", ""},
		{`{"type":"pr-link","prNumber":12,"prUrl":"https://github.com/o/r/pull/12","prRepository":"o/r"}`, "", "o/r#12"},
		{`{"type":"pr-link","prUrl":"https://github.com/o/r/pull/12"}`, "", "github.com/o/r/pull/12"},
		{`{"type":"session_meta","payload":{}}`, "", ""},
		{`{`, "", ""},
	} {
		if commit, pull := repositoryOf([]byte(c.record)); commit != c.commit || pull != c.pull {
			t.Errorf("%s: %q and %q, want %q and %q", c.record, commit, pull, c.commit, c.pull)
		}
	}
	r := &Run{Part: Part{Sums: Sums{Dollars: 2}}}
	if list := r.under([]string{"a", "b"}); len(list) != 2 || list[1].Key != "b" || list[1].Dollars != 2 {
		t.Errorf("%+v", list)
	}
	if list := r.under(nil); len(list) != 1 || list[0].Key != "" || list[0].Dollars != 2 {
		t.Errorf("%+v", list)
	}
}
