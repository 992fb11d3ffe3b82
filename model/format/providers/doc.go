// Package providers reads requests and responses of providers without a separate package:
// Anthropic's Messages API (AnthropicFormat), the Converse API of Amazon Bedrock (BedrockFormat),
// and the sessions of Strands Agents, which store Converse's messages (StrandsFormat).
package providers
