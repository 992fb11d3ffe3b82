package format

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestZZF4(t *testing.T) {
	for _, p := range strings.Fields(os.Getenv("F4")) {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleOf(p, data)
		f, m := Detect(s)
		fmt.Println(p, f.Name, m)
		os.Stdout.Write(dumpSample(f, m, s, data))
	}
}
