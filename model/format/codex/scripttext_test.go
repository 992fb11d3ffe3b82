package codex

import (
	"fmt"
	"strings"
	"testing"
)

func TestCallsOfText(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`await tools.exec_command({cmd: "go test ./...", yield_time_ms: 10000});`, `exec_command! {"cmd":"go test ./...","yield_time_ms":10000}`},
		{`const r = await tools.exec_command({"cmd":"a \"b\" \u00e4 \x41 \u{1F600} \ud83d\ude00"}); text(r.output)`, `exec_command! {"cmd":"a \"b\" ä A 😀 😀"}`},
		{"const p = `*** Begin Patch\n*** End Patch`;\ntext(await tools.apply_patch(p))", "apply_patch! *** Begin Patch\n*** End Patch"},
		{"await tools.apply_patch(String.raw`a\\n`)", `apply_patch! a\n`},
		{`const [a, b] = await Promise.all([tools.exec_command({cmd:'a'}), tools.mcp__docs__get({ids:[1,-2.5],on:true,no:null,})]); text(a)`, `exec_command! {"cmd":"a"}|mcp__docs__get! {"ids":[1,-2.5],"on":true,"no":null}`},
		{`const cmd = "ls"
const r = await tools["exec_command"]({cmd, workdir: '/a'})`, `exec_command! {"cmd":"ls","workdir":"/a"}`},
		{`tools.now(); await tools.now().then(x => text(x))`, `now {}|now {}`},
		{`await tools.a({}).catch(() => 0); await tools.b({})`, `a {}|b {}`},
		{`await Promise.allSettled([tools.a({x:1})])`, `a {"x":1}`},
		// a comment, a pattern, a template with strings inside, and then a call
		{"// tools.a({})\n/* tools.a({}) */ const x = 'tools.a({})'.split(/[/']/); text(`${x.map(y => `\"${y}\"`).join(\"'\")}`); await tools.b({})", `b! {}`},
		{`if (x) { await tools.a({}) } else { await tools.a({}) } await tools.b({});`, `b! {}`},
		{`for (const f of ["a"]) await tools.a({f: 1}); await tools.b({});`, `b! {}`},
		{`for (const f of fs) { if (f) continue; await tools.a({}) } await tools.b({});`, `b! {}`},
		{`const f = async () => { return await tools.a({}) }; await tools.b({});`, `b! {}`},
		{`async function f() { return await tools.a({}) } await tools.b({});`, `b! {}`},
		{`const all = await Promise.all(["a","b"].map(c => tools.a({c: 1}))); await tools.b({});`, `b! {}`},
		{`const r = x ? await tools.a({}) : await tools.c({}); x && await tools.a({}); await tools.b({})`, `b! {}`},
		{`const r = x?.y(await tools.a({}));`, ``},
		{`await tools.b({}); if (r.exit_code) { return; } await tools.a({})`, `b! {}`},
		{`await tools.b({}); if (done) exit(); await tools.a({})`, `b! {}`},
		{`try { await tools.a({}) } catch (e) { text(e) } await tools.b({})`, `b! {}`},
		// computed values are skipped
		{`await tools.a({cmd: "a" + x}); await tools.a({cmd: x}); await tools.a(...x); await tools.a("a" + "b"); await tools.b({})`, `b! {}`},
		{"await tools.a({cmd: `ls ${dir}`}); let d = 'x'; await tools.a({d}); await tools.a({[d]: 1}); await tools.a({...o})", ``},
		{`const d = "x" + y; await tools.a({d}); const e = "x"
.trim(); await tools.a({e})`, ``},
		{`tools = other; await tools.a({})`, ``},
		{`const t = tools; await my.tools.a({}); await tools.a.b({})`, ``},
		{`await tools.a({n: 0x10}); await tools.a({n: 1_000}); await tools.a({n: 0b1})`, ``},
		{`await tools.a({cmd: "open`, ``},
		{`await tools.a({}) )) tools.b({})`, `a! {}`},
		{`await tools.az09_$AZé({n:0,m:9,'k':"\0\n\x7a\u{000041}"})`, `az09_$AZé! {"n":0,"m":9,"k":"\u0000\nzA"}`},
		{`await tools.a({s:"\9"}); await tools.a({s:"\u{}"}); await tools.a({s:"\u{0000041}"}); await tools.a({s:"\xg0"})`, ``},
		{"await tools.a({s:\"${x}\",t:`$`,u:`a\nb`}); await tools.a({s:\"x\ny\"})", `a! {"s":"${x}","t":"$","u":"a\nb"}`},
		{"text(\"${\"); text(`${\"`\"}`); text(\"tools.a({})\"); await tools.b([1])", `b! [1]`},
		{`const x = /a"b/; await tools.b({}); const f = () => { return /"/ }; await tools.c()`, `b! {}|c! {}`},
		{`const x = (a) / 2; await tools.b({}); const y = (c) / 2`, `b! {}`},
		{`const x = a / 2; await tools.b({}); const y = c / 2`, `b! {}`},
		{`const x = "a" / 2; await tools.b({}); const y = c / 2`, `b! {}`},
		{`x || await tools.a({}); x & await tools.b({}); x == await tools.c({})`, `b! {}|c! {}`},
		{`const e = "x", f = 2; await tools.a({e})`, `a! {"e":"x"}`},
		{`const e = {x:1}; await tools.a(e, ); await tools.b("")`, `a! {"x":1}|b! `},
	} {
		var got []string
		for _, call := range callsOfText([]byte(c.script)) {
			sure := ""
			if call.awaited {
				sure = "!"
			}
			got = append(got, fmt.Sprintf("%s%s %s", call.name, sure, call.args))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.script, s, c.want)
		}
	}
}

// TestCutScripts: a script may end anywhere.
func TestCutScripts(t *testing.T) {
	const script = "const e = 1, p = `${x}`; y = /a[/]/; await tools['b']({'c':[-1.5, \"\\x41\\u{41}\\u0041\"]}, ); await tools.d(String.raw`\\$`); tools /* */ // x"
	for n := range len(script) {
		want := 0
		for _, call := range []string{", )", "$`)"} {
			if strings.Contains(script[:n], call) {
				want++
			}
		}
		if got := len(callsOfText([]byte(script[:n]))); got != want {
			t.Errorf("%s: %d calls, want %d", script[:n], got, want)
		}
	}
}

// FuzzCallsOfText: reading ends for any text of a script.
func FuzzCallsOfText(f *testing.F) {
	for _, s := range []string{"await tools.a({x:[1,'b',`c`]})", "const p = `${`${1}`}`; /[/]/ //", `"\u{`, `{"\`, "/*/"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		before := string(script)
		for _, c := range callsOfText(script) {
			if len(c.name) == 0 || !strings.Contains(before, string(c.name)) {
				t.Errorf("%q is not in the script", c.name)
			}
		}
		if string(script) != before {
			t.Error("the script changed")
		}
	})
}
