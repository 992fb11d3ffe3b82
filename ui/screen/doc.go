/*
Package screen is what every part of the screen stands on.

The Host is what the parts share: the snapshot, what the filter lets through, answers, options, styles. A part reads it and never
writes to it. What a part wants of others, or tells them, is a value of one of the types in requests.go, which it gives to Host.Ask.

Pane and Dialog are what the program draws and gives keys to; Field, Table, Prompt and Job are what these are made of.
*/
package screen
