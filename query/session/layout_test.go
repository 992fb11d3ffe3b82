package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestLayoutOfColumns: the width of each column of the session list, and the order in which columns
// are dropped in a narrow list. The screen tests show the resulting list.
func TestLayoutOfColumns(t *testing.T) {
	var b strings.Builder
	for _, c := range Columns(true) {
		fmt.Fprintf(&b, "%-9s %-24q json %-17s width %2d want %2d most %2d gap %d flex %d drop %d ascending %v kind %v\n",
			c.Name, c.Head, c.JSON, c.Width, c.Want, c.Most, c.Gap, c.Flex, c.Drop, c.Asc, c.Kind)
	}
	modeltest.Golden(t, filepath.Join("testdata", "layout.golden"), b.String())
}
