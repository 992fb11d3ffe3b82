// Package providers reads requests to and responses of providers that are no family of their own
// here: Anthropic's Messages API (AnthropicFormat) and the Converse API of Amazon Bedrock
// (BedrockFormat).
package providers
