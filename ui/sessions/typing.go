package sessions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
)

// sessionLine is the line being edited.
type sessionLine uint8

const (
	LineNone sessionLine = iota
	lineFilter
	LineTitle
)

func (d *List) edit(line sessionLine) tea.Cmd {
	d.Typing, d.wasTxt = line, d.line(line).Text
	if line == lineFilter {
		return d.Bar.Edit()
	}
	return nil
}

func (d *List) line(line sessionLine) *screen.Field {
	if line == LineTitle {
		return &d.Title
	}
	return d.Filter
}

// typed edits the filter or the title; the list follows every key.
func (d *List) typed(msg tea.KeyPressMsg) tea.Cmd {
	if name := screen.KeyName(msg); d.Typing == lineFilter && (d.Bar.Open || !slices.Contains([]string{"down", "ctrl+n", "up", "ctrl+p"}, name)) {
		cmd := d.Bar.Key(msg)
		if !d.Bar.Active() {
			d.Typing = LineNone
		}
		return cmd
	}
	f := d.line(d.Typing)
	switch screen.KeyName(msg) {
	case "enter":
		d.Typing = LineNone
		if d.Title.Text != "" && d.look.term == nil { // it was too short to search until now
			return d.filterTyped()
		}
		return nil
	case "esc", "ctrl+c":
		d.Typing = LineNone
		f.Set(d.wasTxt)
	case "down", "ctrl+n":
		d.moveTo(d.Table.Cur + 1)
		return nil
	case "up", "ctrl+p":
		d.moveTo(d.Table.Cur - 1)
		return nil
	default:
		was := f.Text
		f.Key(msg)
		if f.Text != was {
			return d.filterTyped()
		}
	}
	return d.Narrow()
}
