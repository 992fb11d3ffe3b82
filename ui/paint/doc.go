/*
Package paint is how things look: styles, text that fits into cells, Markdown, JSON, diffs, charts. It knows nothing of a screen.

Lines are made of spans: the ink says what a text means, the ground what it lies on, and Styles turns both into the escape sequences of
a theme. A Doc is a long text in parts that are drawn when somebody looks at them. Text from a transcript goes through model.Clean
(OneLine, Cleaned) before it gets here; Styles.Put is the last gate.
*/
package paint
