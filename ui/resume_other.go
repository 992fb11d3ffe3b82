//go:build !unix

package ui

import tea "charm.land/bubbletea/v2"

// goOn does nothing on systems that cannot stop a program.
func goOn(*tea.Program) (done func()) { return func() {} }
