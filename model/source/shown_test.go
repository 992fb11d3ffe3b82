package source

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"turns/model/source/web"
)

// TestCredentialsInAddressesAreNotShown: displayed addresses have no credentials, but requests do.
func TestCredentialsInAddressesAreNotShown(t *testing.T) {
	for address, want := range map[string]string{
		"run.jsonl": "run.jsonl",
		"https://example.test/api/dialogs/7/history?limit=50":      "https://example.test/api/dialogs/7/history?limit=50",
		"ftp://ann:hunter2@example.test/x":                         "ftp://xxxxx@example.test/x",
		"./a b/c://d":                                              "./a b/c://d",
		"https://ann:hunter2@example.test/x":                       "https://xxxxx@example.test/x",
		"https://hunter2@example.test/x?before=3":                  "https://xxxxx@example.test/x?before=3",
		"https://example.test/x?api_key=hunter2&limit=3":           "https://example.test/x?api_key=xxxxx&limit=3",
		"https://example.test/x?API%5FKEY=hunter2":                 "https://example.test/x?API%5FKEY=xxxxx",
		"https://example.test/x?v=abcdefghijklmnopqrstuvwxyz":      "https://example.test/x?v=xxxxx",
		"https://example.test/x?abcdefghijklmnopqrstuvwxyzhunter2": "https://example.test/x?xxxxx",
		"https://example.test/x#access_token=hunter2":              "https://example.test/x#access_token=xxxxx",
		"HTTPS://ann:hunter2@[::1/x":                               "HTTPS://xxxxx",
	} {
		equal(t, address, web.Shown(address), want)
	}
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		asked = password + " " + r.URL.RawQuery
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer server.Close()
	for _, address := range []string{"http://ann:hunter2@" + strings.TrimPrefix(server.URL, "http://") + "/x?token=hunter3", "http://ann:hunter2@127.0.0.1:1/x?token=hunter3", "http://ann:hunter2@[::1/x", "ftp://ann:hunter2@x/y"} {
		_, err := Open(t.Context(), address, Options{})
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", address, err)
		}
	}
	equal(t, "asked", asked, "hunter2 token=hunter3")
}
