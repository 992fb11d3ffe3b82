//go:build !unix

package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// suspender does nothing where programs are not stopped.
type suspender struct{}

func newSuspender() *suspender { return &suspender{} }

func (*suspender) listen(context.Context, func(tea.Msg)) {}

func (*suspender) suspend() tea.Msg { return tea.SuspendMsg{} }

func (*suspender) resumed() {}
