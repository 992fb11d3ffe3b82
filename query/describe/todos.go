package describe

import (
	"cmp"
	"strings"
)

// Todo is one item of a todo list.
type Todo struct {
	Text     string
	State    TodoState
	Priority string
}

// TodoState is the state of a todo item.
type TodoState uint8

const (
	TodoNone TodoState = iota // a text without a state
	TodoOpen
	TodoNow
	TodoDone
	TodoCancelled
	TodoDeleted
)

// todoStates are the words of agents for the states.
var todoStates = map[string]TodoState{
	"completed": TodoDone, "done": TodoDone, "complete": TodoDone, "finished": TodoDone,
	"in_progress": TodoNow, "in-progress": TodoNow, "inprogress": TodoNow, "active": TodoNow, "running": TodoNow,
	"cancelled": TodoCancelled, "canceled": TodoCancelled, "deleted": TodoDeleted,
}

// Todos returns at most that many todo items from the arguments.
func (a *CallArgs) Todos(most int) (list []Todo) {
	raw := a.Raw(argsTodo...)
	if strings.HasPrefix(raw, `"`) {
		raw = RawText(raw, len(raw))
	}
	for _, item := range ListItems(raw, most) {
		if !strings.HasPrefix(item, "{") {
			list = append(list, Todo{Text: RawText(item, len(item))})
			continue
		}
		o := objectArgs(item)
		t := Todo{
			Text:  o.Get("content", "step", "description", "title", "task", "text", "task_description", "activeForm"),
			State: cmp.Or(todoStates[strings.ToLower(o.Get("status", "state"))], TodoOpen), Priority: o.Get("priority"),
		}
		if o.Raw("completed", "done") == "true" {
			t.State = TodoDone
		}
		list = append(list, t)
	}
	return list
}
