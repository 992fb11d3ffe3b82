package format

import (
	"regexp"
	"testing"
)

// TestKnownFormats: what known.toml says is of formats that exist, with versions that are some.
func TestKnownFormats(t *testing.T) {
	version := regexp.MustCompile(`^[0-9][0-9.-]*$`)
	verified := 0
	for name, k := range knownFormats() {
		if name == everyFormat {
			continue
		}
		f, err := Find(name)
		if err != nil {
			t.Errorf("known.toml: %v", err)
			continue
		}
		if v := Verified(f); v != "" && !version.MatchString(v) {
			t.Errorf("%s: version %q", name, v)
		} else if v != "" {
			verified++
		}
		if len(k.Tables) > 0 && (f.Unroll == nil || len(f.Unroll.Queries) == 0) {
			t.Errorf("%s: it has tables, and is no database", name)
		}
	}
	if verified < 11 {
		t.Errorf("%d formats name a version", verified)
	}
}
