/*
Package paint draws: styles, text that fits into cells, Markdown, JSON, diffs, charts. It does not depend on a screen.

A line consists of spans: the ink is the meaning of a text, the ground is the background, and Styles turns both into the escape
sequences of a theme. A Doc is a long text in parts, each rendered when it becomes visible. Text from a transcript passes model.Clean
(OneLine, Cleaned) before it gets here; Styles.Put checks it once more.
*/
package paint
