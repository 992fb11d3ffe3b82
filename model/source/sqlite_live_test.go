package source

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// liveRows is the number of rows that the other process writes, each in a separate transaction.
const liveRows = 400

// TestLiveWriterProcess is the body of a process that writes constantly. It counts each lock that
// it meets and tries again. As a test it does nothing.
func TestLiveWriterProcess(t *testing.T) {
	path := os.Getenv("TURNS_TEST_LIVE")
	if path == "" {
		return
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(0)&_pragma=synchronous(OFF)")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	busy := 0
	write := func(sql string, args ...any) {
		for {
			_, err := db.Exec(sql, args...)
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), "locked") && !strings.Contains(err.Error(), "BUSY") {
				fmt.Println("error", err)
				os.Exit(1)
			}
			busy++
		}
	}
	for n := range liveRows {
		write("INSERT INTO message(body) VALUES (?)", fmt.Sprint("row ", n))
		if n%10 == 9 {
			write("UPDATE message SET body = body || '!' WHERE id = ?", n)
		}
		if n%100 == 99 {
			write("DELETE FROM message WHERE id = ?", n-50)
		}
	}
	fmt.Println("written", busy)
	_, _ = in.ReadString('\n') // until the reader has it all
}

// TestDatabaseOfALiveProcess follows a database that another process keeps writing. In the end the
// reader has every row, the writer never met one of our locks, and there are no files of ours next
// to the database.
func TestDatabaseOfALiveProcess(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	for _, mode := range []string{"DELETE", "TRUNCATE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			path := filepath.Join(dir, "db")
			writer(t, path, "PRAGMA journal_mode="+mode, "CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT)").Close()

			cmd := osexec.Command(os.Args[0], "-test.run=^TestLiveWriterProcess$")
			cmd.Env = append(os.Environ(), "TURNS_TEST_LIVE="+path)
			in, err := cmd.StdinPipe()
			must(t, err)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			defer func() { _ = cmd.Wait() }()
			defer in.Close()
			said := bufio.NewScanner(out)
			said.Scan()
			equal(t, "the writer", said.Text(), "ready")
			written := make(chan string, 1)
			go func() { said.Scan(); written <- said.Text() }()

			c := newClock()
			s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}, TempDir: temp})
			must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
			want := map[string]string{}
			for n := range liveRows {
				want[fmt.Sprint(n+1)] = fmt.Sprint("row ", n)
			}
			for n := 9; n < liveRows; n += 10 {
				want[fmt.Sprint(n)] += "!"
			}
			for n := 99; n < liveRows; n += 100 {
				delete(want, fmt.Sprint(n-50))
			}
			looks := 0
			for ; !equalRows(rowsOf(t, s), want); looks++ {
				if ev := c.next(t, s); ev.Kind == Failed || ev.Err != nil {
					t.Fatalf("%v: %v", ev.Kind, ev.Err)
				}
			}
			equal(t, "what the writer says", <-written, "written 0")
			entries, err := os.ReadDir(dir)
			must(t, err)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			ours := slices.DeleteFunc(names, func(name string) bool {
				return slices.Contains([]string{"db", "db-wal", "db-shm", "db-journal"}, name)
			})
			equal(t, "beside the database", ours, "[]")
			must(t, s.Close())
			equal(t, "the temporary folder", folderState(t, temp), "")
			t.Logf("%d looks", looks)
		})
	}
}

// rowsOf returns the rows of the table according to the records.
func rowsOf(t *testing.T, s *Source) map[string]string {
	t.Helper()
	rows := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(content(t, s.Stream()), "\n"), "\n") {
		list, data := CutRecord([]byte(line))
		var id, body string
		switch list {
		case "message":
			_, err := fmt.Sscanf(string(data), `{"id":%s`, &id)
			must(t, err)
			id, body, _ = strings.Cut(strings.TrimPrefix(string(data), `{"id":`), `,"body":"`)
			rows[id] = strings.TrimSuffix(body, `"}`)
		case "-":
			_, id, _ = strings.Cut(string(data), `"key":`)
			delete(rows, strings.TrimSuffix(id, "}"))
		}
	}
	return rows
}

func equalRows(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}
