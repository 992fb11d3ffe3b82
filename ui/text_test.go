package ui

import (
	"testing"
	"time"
)

func TestTook(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0.4s", 181 * time.Second: "3m01s", 3599600 * time.Millisecond: "1h00m", 72 * time.Minute: "1h12m", 4*day + 5*time.Hour: "4d05h", 5 * day: "5d00h",
		325*day + 8*time.Hour: "325d", 100 * day: "100d",
	} {
		if got := took(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
