package provider

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestLimitsOfProviders: the media, names and IDs that each provider accepts. The golden file has a
// line for each provider and question.
func TestLimitsOfProviders(t *testing.T) {
	var b strings.Builder
	for _, p := range All() {
		fmt.Fprintf(&b, "%s, %s\n", p.Name, p.Title)
		for _, mime := range []string{"image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff", "image", "audio/wav", "audio/mpeg", "audio/flac", "audio",
			"application/pdf", "application/zip", "text/plain", "file", "video/mp4"} {
			var takes []string
			for _, a := range []Attachment{{Data: "QUJD"}, {URL: "https://x"}, {URL: "http://x"}, {URL: "gs://x"}, {URL: "s3://x"}, {ID: "file-1"}} {
				a.MIME = mime
				for _, role := range []model.Role{model.User, model.Tool, model.Assistant, model.System} {
					if p.takesMedia(&a, role) {
						takes = append(takes, fmt.Sprint(a.Data, a.URL, a.ID, " of ", role))
					}
				}
			}
			if takes != nil {
				fmt.Fprintf(&b, "  takes %s as %s\n", mime, strings.Join(takes, ", "))
			}
		}
		longest := func(ok func(string) bool) (n int) {
			for n < 300 && ok(strings.Repeat("x", n+1)) {
				n++
			}
			return n
		}
		fmt.Fprintf(&b, "  ids %d, empty %v, with signs %v; names %d, with dots %v; names of speakers %d\n",
			longest(p.idOK), p.idOK(""), p.idOK("a:b"), longest(p.nameOK), p.nameOK("a.b"), longest(p.speakerOK))
		p.Media, p.URLs = nil, nil // printed above
		fmt.Fprintf(&b, "  %+v\n", p)
	}
	modeltest.Golden(t, filepath.Join("testdata", "limits.golden"), b.String())
}
