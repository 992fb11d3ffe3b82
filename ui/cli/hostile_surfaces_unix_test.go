//go:build unix

package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// steering are texts that steer a terminal or that a spreadsheet executes.
var steering = []string{
	"=HYPERLINK(\"http://evil\")", "+cmd|' /C calc'!A0", "-1+1", "@SUM(1)", "\t=1", "\x1b]52;c;ZXZpbA==\a", "\x1b[2J", "\u202eevil", "\u009b2J", "a\rb",
}

// Labels of other authors are not formulas and steer no terminal, in each form of their list.
func TestLabelsOfOthersAreText(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "a.jsonl")
	plantedRun(t, session, "s1", []string{"hello there"})
	var lines strings.Builder
	for i, text := range steering {
		lines.WriteString(`{"id":"` + string(rune('a'+i)) + `","time":"2026-01-02T03:04:05Z","by":` + mustJSON(t, text) + `,"run":{"session":"s1","path":` + mustJSON(t, session) + `},"scope":"run","kind":"note","note":` + mustJSON(t, text) + "}\n")
	}
	store := filepath.Join(dir, "labels.jsonl")
	if err := os.WriteFile(store, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"csv", "text"} {
		_, out, errs := run(t, "", "label", "--list", session, "--label-file", store, "--to", form)
		if strings.Count(out, "\n") < len(steering) {
			t.Fatalf("%s: %s%s", form, out, errs)
		}
		if strings.ContainsAny(out, "\x1b\a\u202e\u009b\r") {
			t.Errorf("%s: steers a terminal: %q", form, out)
		}
		if form == "csv" {
			rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows[1:] {
				for i, cell := range row {
					if i != 10 && strings.IndexAny(strings.TrimLeft(cell, " \t"), "=+@-") == 0 {
						t.Errorf("a formula: %q", cell)
					}
				}
			}
		}
	}
}

// Data on a terminal stays the same data, and steers no terminal.
func TestDataOnATerminalSteersNothing(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "a.jsonl")
	plantedRun(t, session, "s\u202e1", steering)
	rules := filepath.Join(dir, "rules.toml")
	if err := os.WriteFile(rules, []byte("[[rule]]\nname = \"none \u202eevil\"\nnever = \"is:error\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", session, "--rules", rules, "--to", "json"}, {"check", session, "--rules", rules, "--to", "sarif"}, {"check", session, "--rules", rules, "--to", "junit"},
		{"stats", session, "--json"}, {"ls", dir, "--json"}, {"log", session, "--json"}, {"tools", session, "--json"}, {"timeline", session, "--json"},
		{"search", session, "evil", "--json"}, {"export", session, "--to", "jsonl"}, {"export", session, "--to", "csv"}, {"export", session, "--to", "csv", "--csv-raw"}, {"show", session, "--to", "csv"}, {"label", "--list", session, "--label-file", filepath.Join(dir, "none"), "--to", "json"},
	} {
		var out, errs strings.Builder
		Run(t.Context(), args, IO{In: strings.NewReader(""), Out: &out, Err: &errs, Terminal: true, Env: func(string) string { return "" }})
		if strings.ContainsAny(out.String()+errs.String(), "\x1b\a\r\u202e\u009b") {
			t.Errorf("%v: %q", args, out.String())
		}
	}
}

// Only a regular file is a label file: turns does not block on others or read them endlessly.
func TestLabelsOfOtherThanFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	session := at("a.jsonl")
	plantedRun(t, session, "s1", []string{"hello there"})
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), syscall.Mkfifo(at("pipe.jsonl"), 0o600), os.Mkdir(at("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	paths := []string{at("pipe"), at("pipe.jsonl"), at("folder"), at("s"), "/dev/zero", "/dev/full", "/dev/null/below"}
	for i, to := range []string{at("pipe"), "/dev/zero", at("folder"), at("s"), at("loop7")} {
		link := at(fmt.Sprint("loop", i+3))
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, link)
	}
	for _, path := range paths {
		for _, args := range [][]string{
			{"label", "--list", session, "--label-file", path}, {"label", session, "#x", "--label-file", path}, {"show", session, "--label-file", path, "-q", "label:x"},
			{"label", session, "--import", path, "--label-file", at("own.jsonl")},
		} {
			began := time.Now()
			code, _, errs := run(t, "", args...)
			if took := time.Since(began); code != exitError || took > 20*time.Second || !strings.Contains(errs, "labels") {
				t.Errorf("%v: code %d after %v: %s", args, code, took, errs)
			}
		}
	}
}

// The output of turns on another host is cleaned and limited.
func TestHostsThatPrintOtherThings(t *testing.T) {
	for name, c := range map[string]struct{ script, never, want string }{
		"a clipboard":    {`printf 'row\033]52;c;ZXZpbA==\007\n'`, "\x1b]", "row"},
		"a title":        {`printf 'row\033]0;evil\033\\\n'`, "\x1b]", "row"},
		"another screen": {`printf '\033[?1049hrow\n'`, "\x1b[?", "row"},
		"a query":        {`printf 'row\033[6n\n'`, "\x1b[6n", "row"},
		"C1":             {`printf 'row\302\2332J\n'`, "\u009b", "row"},
		"an error raw":   {`printf '\033]0;evil\007' >&2; exit 2`, "\x1b]", ""},
		"a name of ours": {`printf 'turns: error: \033[8mhidden\n' >&2; exit 1`, "\x1b[8m", ""},
		"no end of line": {`printf 'row\033]0;'`, "\x1b]", "row"},
		"a bell":         {`printf 'row\007\n'`, "\a", "row"},
		"delete":         {`printf 'row\177\n'`, "\x7f", "row"},
		"a form feed":    {`printf 'row\014\n'`, "\f", "row"},
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		_, out, errs := run(t, "", "ls", "far:/runs")
		if strings.Contains(out+errs, c.never) || !strings.Contains(out, c.want) {
			t.Errorf("%s: %q %q", name, out, errs)
		}
	}
}

// A token is read from a file or the environment, which ps does not show.
func TestTokensOfListen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := file + ".empty"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blank, large := file+".blank", file+".large"
	if err := errors.Join(os.WriteFile(blank, []byte(" \n\n"), 0o600), os.WriteFile(large, make([]byte, 8<<20), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ flag, file, env, want, err string }{
		{"from-flag", "", "from-env", "from-flag", ""}, {"", file, "from-env", "from-file", ""}, {"", "", "from-env", "from-env", ""}, {"", "", "", "", ""},
		{"a", file, "", "", "combined"}, {"", empty, "", "", "is empty"}, {"", file + ".none", "", "", "no such file"}, {"", "/dev/zero", "", "", "token"},
		{"", t.TempDir(), "", "", "token"}, {"", blank, "", "", "is empty"}, {"", large, "", "", "token"}, {"", empty, "from-env", "", "is empty"},
	} {
		c := &listenCommand{app: &app{IO: IO{Env: func(name string) string { return map[string]string{"TURNS_TOKEN": x.env}[name] }}}, token: x.flag, tokenFile: x.file}
		err := c.findToken()
		if x.err == "" && (err != nil || c.token != x.want) || x.err != "" && (err == nil || !strings.Contains(err.Error(), x.err)) {
			t.Errorf("%+v: %q, %v", x, c.token, err)
		}
	}
}
