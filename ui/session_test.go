package ui

import "testing"

func TestWalkThrough(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky watcher tes").Selected("You are a careful")
	d.Press("e").Selected("mix test")
	d.Press("l").WaitFor("Assertion with != failed")
	d.Press("h").WaitGone("Assertion with != failed")
	d.Press("e").Selected("npx vitest run").Press("e").Selected("rm -rf testdata/old")
	d.Press("e").WaitFor("no error after #")
	d.Press("[").Selected("npx vitest run")
	d.Press("]").Selected("rm -rf")
	d.Press("p").WaitFor("no prompt after").Press("P").Selected("go on, and now")
	d.Press("g").Selected("You are a careful").Press("G").Selected("go test -race")
	d.Press(": 9 enter").Selected("The subagent fixture test failed")
	d.Press("m a g ' a").Selected("The subagent fixture test failed")
	d.Press("?").WaitFor("Most used").Press("esc").WaitGone("Most used")
	d.Resize(60, 20).Selected("The subagent fixture")
}

func TestSearch(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky")
	d.Press("/").Type("debounce").WaitFor("1 of 2")
	d.Press("enter").Press("n").WaitFor("/debounce  2 of 2")
	d.Press("esc esc").WaitGone("/debounce")
	d.Press("/").Type("zzz").WaitFor("no match").Press("esc").WaitGone("no match")
}

func TestFilter(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky")
	d.Press("f").Type("is:error").WaitFor("3 rows").Press("enter")
	d.WaitGone("Fix the flaky").WaitFor("npx vitest run")
	d.Press("&").WaitFor("Fix the flaky").Press("&").WaitGone("Fix the flaky")
	d.Press("e").Press("+").WaitFor("tool:")
}

func TestTurnsFold(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky").Press("z M").WaitGone("mix test").WaitFor("go on, and now")
	d.Press("p").Selected("Fix the flaky").Press("l").WaitFor("mix test")
	d.Press("z R").WaitFor("on a loaded")
}
