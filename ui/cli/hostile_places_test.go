package cli

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// manyAttacks returns the attacks of more than one control character.
func manyAttacks() []modeltest.Attack {
	var list []modeltest.Attack
	for i, a := range modeltest.Attacks() {
		if !strings.HasPrefix(a.Name, "esc ") && !strings.HasPrefix(a.Name, "c0 ") && modeltest.Some(i, 1) {
			list = append(list, a)
		}
	}
	return list
}

// TestHostileServer uses attacks in every text of a server: status, headers, the reason of a
// refusal, the target of a redirect, the fields of a page.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	modeltest.Long(t, "hostile texts are tried in a file")
	for _, a := range manyAttacks() {
		quoted := fmt.Sprintf("%q", strings.ToValidUTF8(a.Text, "?"))
		quoted = strings.NewReplacer(`\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`, `\U000`, `\u`).Replace(quoted)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/status", "/reason":
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					return
				}
				defer conn.Close()
				if r.URL.Path == "/status" {
					fmt.Fprintf(conn, "HTTP/1.1 500 %s\r\nX-%s: %s\r\nContent-Length: 0\r\n\r\n", a.Text, a.Text, a.Text)
					return
				}
				body := `{"detail":` + quoted + `,"error":{"message":` + quoted + `}}`
				fmt.Fprintf(conn, "HTTP/1.1 500 x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			case "/type":
				w.Header()["Content-Type"] = []string{"text/html; " + a.Text}
			case "/type2":
				w.Header()["Content-Type"] = []string{"image/" + a.Text}
			case "/redirect":
				w.Header()["Location"] = []string{"ftp://" + a.Text + "/" + a.Text}
				w.WriteHeader(http.StatusFound)
			case "/redirect2":
				w.Header()["Location"] = []string{"http://127.0.0.1:1/" + a.Text}
				w.WriteHeader(http.StatusFound)
			case "/api/dialogs/x/history":
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"dialog_id":%s,"events":[{"type":"user","idx":1,"content":%s}],"has_more":true,"first_idx":1}`, strings.Repeat(quoted, 1+len(r.URL.RawQuery)/100), quoted)
			default:
				fmt.Fprintf(w, "%s", modeltest.Attacked(modeltest.Carrier(), a.Text, true))
			}
		}))
		for _, path := range []string{"/status", "/reason", "/type", "/type2", "/redirect", "/redirect2", "/api/dialogs/x/history", "/ok"} {
			hostileRun(t, unfit, "show", server.URL+path, "-H", "X-Secret: very secret")
		}
		server.Close()
	}
}

// TestRedirectsTellNoHeaders follows redirects to other hosts, by name, by port and by scheme, and
// back.
func TestRedirectsTellNoHeaders(t *testing.T) {
	told := make(chan string, 100)
	line := `{"role":"user","content":"hi"}` + "\n"
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "X-") || name == "Cookie" || name == "Referer" {
				told <- r.Host + " " + name
			}
		}
		if name, _, _ := r.BasicAuth(); r.Header.Get("Authorization") != "" && name != "eve" { // the redirect contains eve
			told <- "the given Authorization"
		}
		if r.Host == "turns.invalid" {
			told <- "the given Host"
		}
		fmt.Fprint(w, line)
	}))
	defer other.Close()
	away := map[string]string{
		"/see": "303 http://HOST/x", "/permanent": "308 http://HOST/x", "/scheme": "307 //HOST/x", "/user": "302 http://eve:own@HOST/x",
		"/upper": "302 HTTP://Localhost:PORT/x", "/zeroes": "302 http://127.000.000.001:PORT/x", "/short": "302 http://127.1:PORT/x", "/mapped": "302 http://[::ffff:127.0.0.1]:PORT/x",
		"/self": "302 http://eve@HOST/x?next=http://127.0.0.1/",
	}
	var first *httptest.Server
	first = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/port":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/name":
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/x", http.StatusTemporaryRedirect)
		case "/twice":
			http.Redirect(w, r, first.URL+"/port", http.StatusMovedPermanently)
		default:
			if to := strings.Split(away[r.URL.Path], " "); len(to) == 2 {
				code, _ := strconv.Atoi(to[0])
				w.Header().Set("Location", strings.NewReplacer("HOST", strings.TrimPrefix(other.URL, "http://"), "PORT", other.URL[strings.LastIndexByte(other.URL, ':')+1:]).Replace(to[1]))
				w.WriteHeader(code)
			}
		}
	}))
	defer first.Close()
	for _, path := range slices.Concat([]string{"/port", "/name", "/twice"}, slices.Sorted(maps.Keys(away))) {
		address := strings.Replace(first.URL, "http://", "http://user:word@", 1) + path
		code, out, errs := run(t, "", "show", address, "-H", "X-Key: k", "-H", "Authorization: Bearer t", "-H", "Cookie: c=1", "-H", "Host: turns.invalid")
		// an invalid address leads nowhere
		if arrives := path != "/zeroes" && path != "/short"; arrives && (code != exitOK || !strings.Contains(out, "hi")) {
			t.Errorf("%s: %d %s", path, code, errs)
		}
	}
	close(told)
	for what := range told {
		t.Errorf("another host got %s", what)
	}
}

// TestHostileDatabase uses attacks in the cells of a database.
func TestHostileDatabase(t *testing.T) {
	modeltest.Long(t, "hostile texts are tried in a file")
	path := filepath.Join(t.TempDir(), "sessions.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT, model_config_json TEXT)`)
	exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)`)
	for i, a := range manyAttacks() {
		id := fmt.Sprint("s", i, a.Text)
		content := string(modeltest.Attacked([]byte(`[{"type":"text","text":"x"},{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"ls"}}}}]`), a.Text, true))
		exec(`INSERT INTO sessions VALUES (?,?,?,?,?,?,?)`, id, a.Text, a.Text, a.Text, "2026-09-29 12:00:00", "2026-09-29 12:00:00", `{"model_name":"m"}`)
		exec(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?,?,?,?,?)`, a.Text, id, "assistant", content, 1759147200+i)
		exec(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?,?,?,?,?)`, []byte(a.Text), id, a.Text, a.Text, 1759147300+i)
	}
	outputs(t, path, harmlessPage(t), func(int) bool { return true })
}

// TestHostileThemes reads theme files with attacks as names, keys and values.
func TestHostileThemes(t *testing.T) {
	modeltest.Long(t, "hostile texts are tried in a file")
	dir := t.TempDir()
	for i, a := range manyAttacks() {
		quoted := strings.NewReplacer(`\x`, `\u00`, `\v`, `\u000b`, `\a`, `\u0007`).Replace(fmt.Sprintf("%q", strings.ToValidUTF8(a.Text, "?")))
		for k, text := range []string{
			"extends = " + quoted, "backdrop = " + quoted, quoted + " = 1", "[colors]\n" + quoted + " = \"#fff\"\naccent = " + quoted, a.Text, "extends = \"" + a.Text, "[" + quoted + "]\na = 1",
		} {
			if !modeltest.Some(i+k, 4) {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("t%d_%d.toml", i, k))
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			hostileRun(t, unfit, "../../testdata/demo.jsonl", "--theme", path)
		}
	}
}
