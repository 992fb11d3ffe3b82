// Package chats reads saved or shared chats: the exports of ChatGPT and Open WebUI, whose chats are
// trees with a live branch, training data in the style of ShareGPT, and the rows of nikita. Each
// format has one file; chatgpt_content.go reads the parts of ChatGPT's messages.
package chats
