package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// someKey has random letters of both cases and digits.
const someKey = "q7Hd2LmX9tRw4KpZ8vBn3JfS6yGc1QhT5xNkEa0PzUoW2iDr7MbV4sYl9CgFj3Xe8Hq1ZtKw6RnB5pLd"

// TestLengthsOfVendorKeys: a key with one part shorter or longer than the vendor's is not one.
func TestLengthsOfVendorKeys(t *testing.T) {
	hex := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for _, c := range []struct {
		vendor      string
		least, most int
		text        func(n int) string
	}{
		{"sendgrid-api-key", 16, 32, func(n int) string { return "SG." + someKey[:n] + "." + someKey[20:63] }},
		{"sendgrid-api-key", 32, 64, func(n int) string { return "SG." + someKey[:22] + "." + someKey[:n] }},
		{"twilio-api-key", 32, 32, func(n int) string { return "SK" + hex[:n] }},
	} {
		var found []int
		for n := 10; n < 70; n++ {
			if n > len(hex) && c.most < len(hex) {
				break
			}
			if out, _ := New().RedactString(fmt.Sprintf("key %s here", c.text(n))); strings.Contains(out, "[redacted:"+c.vendor) {
				found = append(found, n)
			}
		}
		if len(found) != c.most-c.least+1 || slices.Min(found) != c.least || slices.Max(found) != c.most {
			t.Errorf("%s: found with %v characters, want %d to %d", c.vendor, found, c.least, c.most)
		}
	}
}
