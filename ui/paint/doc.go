/*
Package paint draws: styles, text that fits into cells, Markdown, JSON, diffs, charts. It does not depend on a screen.

Lines are made of spans: the ink is the meaning of a text, the ground is the colour below it, and Styles turns both into the escape
sequences of a theme. A Doc is a long text in parts, each drawn when it becomes visible. Text from a transcript goes through model.Clean
(OneLine, Cleaned) before it gets here; Styles.Put is the last gate.
*/
package paint
