//go:build !unix

package ui

import tea "charm.land/bubbletea/v2"

// goOn has nothing to do where programs are not stopped.
func goOn(*tea.Program) (done func()) { return func() {} }
