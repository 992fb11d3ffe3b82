package dialect

import (
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// makers are the providers with known signatures, by their names in frameworks.
var makers = map[string]string{
	"anthropic": "anthropic", "bedrock": "anthropic",
	"google": "google", "google-gla": "google", "google-vertex": "google", "vertex": "google", "googleVertex": "google",
	"openai": "openai", "azure": "openai",
}

// signatureOf reads the mark by which a provider recognises a block, from its API or a framework.
func signatureOf(raw []byte) provider.Signature {
	if jsonspan.KindOf(raw) != jsonspan.Object {
		return provider.Signature{}
	}
	switch string(jsonspan.GetString(raw, "type")) {
	case "thinking":
		return signed("anthropic", "", firstString(raw, "signature"), "")
	case "redacted_thinking":
		return signed("anthropic", "", "", firstString(raw, "data"))
	case "reasoning":
		if jsonspan.Get(raw, "summary") != nil {
			return signed("openai", firstString(raw, "id"), "", firstString(raw, "encrypted_content"))
		}
	}
	if text := firstString(raw, "thoughtSignature", "thought_signature"); text != "" {
		return signed("google", "", text, "")
	}
	if jsonspan.Get(raw, "part_kind") != nil {
		return pydanticSignature(raw)
	}
	for _, field := range [...]string{"providerOptions", "providerMetadata", "callProviderMetadata", "extra_content"} {
		c := jsonspan.New(jsonspan.Get(raw, field))
		if c.Kind() != jsonspan.Object {
			continue
		}
		for c.Object(); c.Key(); {
			maker := makers[string(c.Name)]
			v := c.Skip()
			s := signed(maker, firstString(v, "itemId"), firstString(v, "signature", "thoughtSignature", "thought_signature"),
				firstString(v, "redactedData", "reasoningEncryptedContent"))
			if s.Maker != "" {
				return s
			}
		}
	}
	return provider.Signature{}
}

func pydanticSignature(raw []byte) provider.Signature {
	maker, id := makers[firstString(raw, "provider_name")], firstString(raw, "id")
	if text := firstString(jsonspan.Get(raw, "provider_details"), "thought_signature"); text != "" {
		return signed("google", "", text, "")
	}
	text := firstString(raw, "signature")
	switch {
	case text == "" && string(jsonspan.GetString(raw, "part_kind")) != "thinking":
		return provider.Signature{}
	case maker == "openai", id == "redacted_thinking":
		return signed(maker, id, "", text)
	}
	return signed(maker, "", text, "")
}

func signed(maker, id, text, hidden string) provider.Signature {
	if maker == "" || id == "" && text == "" && hidden == "" {
		return provider.Signature{}
	}
	return provider.Signature{Maker: maker, ID: id, Text: text, Hidden: hidden}
}

// sign sets the signature of a block from its recording. Models other than Claude also record
// reasoning in Anthropic's shape: their signatures are not Anthropic's.
func sign(b *provider.WireBlock, modelName string) {
	b.Sign = signatureOf(b.Raw)
	if b.Sign.Maker == "anthropic" && modelName != "" && !strings.Contains(strings.ToLower(modelName), "claude") {
		b.Sign = provider.Signature{}
	}
}

// knows reports whether the provider understands a signature.
func (s *spec) knows(b *provider.WireBlock) bool {
	return b.Sign.Maker != "" && (s.maker == b.Sign.Maker || s.maker == anyMaker)
}

// anyMaker is a maker that passes signatures on to the provider behind it.
const anyMaker = "any"

// providerData writes a signature in the notation of the Vercel AI SDK.
func (s *sheet) providerData(field string, b *provider.WireBlock) {
	g := &b.Sign
	if g.Maker == "" {
		return
	}
	s.OpenObject(field)
	s.OpenObject(g.Maker)
	add := func(name, value string) {
		if value != "" {
			s.String(name, value)
		}
	}
	switch g.Maker {
	case "anthropic":
		add("signature", g.Text)
		add("redactedData", g.Hidden)
	case "google":
		add("thoughtSignature", g.Text)
	default:
		add("itemId", g.ID)
		add("reasoningEncryptedContent", g.Hidden)
	}
	s.Close("}}")
}

// signatures counts the signatures that the provider has no field for.
func (s *sheet) signatures(b *provider.WireBlock) {
	if b.Sign.Maker != "" && !s.knows(b) && b.Kind != model.Reasoning {
		s.unsigned++
	}
}
