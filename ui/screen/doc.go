/*
Package screen is the foundation of all parts of the screen.

The Host is the state shared by the parts: the snapshot, the filter's result, answers, options, styles. A part reads it and never
writes to it. Requests and reports to other parts are values of the types in requests.go, passed to Host.Ask.

Panes and Dialogs draw the screen and receive the keys; they consist of Fields, Tables, Prompts and Jobs.
*/
package screen
