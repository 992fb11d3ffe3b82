package remote

import (
	"testing"
	"time"
)

// TestFreshListings: a cached listing is valid for three seconds.
func TestFreshListings(t *testing.T) {
	a, _ := Parse("host:folder/")
	for age, want := range map[time.Duration]bool{0: true, time.Second: true, 3 * time.Second: false} {
		p := &Places{lists: map[string]listing{a.String(): {at: time.Now().Add(-age)}}}
		if _, ok, fresh := p.listed(a); !ok || fresh != want {
			t.Errorf("a listing after %v: known %v, valid %v, want %v", age, ok, fresh, want)
		}
	}
}
