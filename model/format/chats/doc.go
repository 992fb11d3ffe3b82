// Package chats reads the transcripts of chats that were saved or shared: ChatGPT, Open WebUI,
// ShareGPT, Nikita.
package chats
