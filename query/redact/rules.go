package redact

import (
	"encoding/base64"
	"strconv"
)

// family is a rule and its anchors.
type family struct {
	Rule
	anchors []anchor
}

// keys makes the anchors of keys that are a prefix and at least min, at most max (0: any number)
// bytes of a class.
func keys(c class, min, max int, prefixes ...string) []anchor {
	var as []anchor
	for _, p := range prefixes {
		as = append(as, anchor{lit: p, class: c, min: min, max: max})
	}
	return as
}

// shape makes anchors with their own matcher.
func shape(match func(*scan, int, *anchor), lits ...string) []anchor {
	var as []anchor
	for _, l := range lits {
		as = append(as, anchor{lit: l, match: match})
	}
	return as
}

// folded makes anchors match upper and lower case.
func folded(as []anchor) []anchor {
	for i := range as {
		as[i].fold = true
	}
	return as
}

func at(off int, as []anchor) []anchor {
	for i := range as {
		as[i].off = off
	}
	return as
}

// headed makes an anchor that the prefilter finds by any of several beginnings.
func headed(lit string, heads []string, match func(*scan, int, *anchor)) []anchor {
	return []anchor{{lit: lit, heads: heads, match: match}}
}

// families lists the rules, more specific ones before general ones. Lengths are the documented
// ones, with a margin if a vendor documents that they may change.
func families() []family {
	var all []family
	add := func(id, description string, groups ...[]anchor) {
		f := family{Rule: Rule{id, description}}
		for _, g := range groups {
			f.anchors = append(f.anchors, g...)
		}
		all = append(all, f)
	}

	// Models.
	add("anthropic-api-key", "Anthropic API, admin, session and OAuth keys", keys(dash, 20, 0, "sk-ant-"))
	add("openrouter-api-key", "OpenRouter API keys", keys(dash, 32, 0, "sk-or-"))
	add("openai-api-key", "OpenAI API keys and those made like them", keys(dash, 20, 0, "sk-proj-", "sk-svcacct-", "sk-admin-"), shape(matchSK, "sk-"))
	add("google-api-key", "Google API keys, Gemini among them", keys(dash, 35, 35, "AIza"), keys(dotted, 40, 0, "AQ.Ab"))
	add("groq-api-key", "Groq API keys", keys(alnum, 40, 60, "gsk_"))
	add("xai-api-key", "xAI API keys", keys(alnum, 60, 100, "xai-"))
	add("perplexity-api-key", "Perplexity API keys", keys(alnum, 40, 60, "pplx-"))
	add("replicate-api-token", "Replicate API tokens", keys(alnum, 37, 40, "r8_"))
	add("huggingface-token", "Hugging Face user and organisation tokens", keys(alnum, 30, 40, "hf_", "api_org_"))
	add("fireworks-api-key", "Fireworks API keys", keys(alnum, 22, 30, "fw_"))
	add("together-api-key", "Together API keys", keys(dash, 40, 50, "tgp_v1_"))
	add("cerebras-api-key", "Cerebras API keys", keys(alnum, 40, 60, "csk-"))
	add("nvidia-api-key", "NVIDIA API keys", keys(dash, 60, 70, "nvapi-"))
	add("langsmith-api-key", "LangSmith API keys", keys(word, 32, 60, "lsv2_pt_", "lsv2_sk_"))
	add("langfuse-secret-key", "Langfuse secret keys", keys(dash, 32, 40, "sk-lf-"))
	add("tavily-api-key", "Tavily API keys", keys(dash, 28, 60, "tvly-"))
	add("firecrawl-api-key", "Firecrawl API keys", keys(hexLow, 32, 32, "fc-"))
	add("pinecone-api-key", "Pinecone API keys", keys(word, 40, 90, "pcsk_"))
	add("jina-api-key", "Jina API keys", keys(dash, 50, 70, "jina_"))
	add("e2b-api-key", "E2B API keys", keys(hexLow, 40, 40, "e2b_"))
	add("elevenlabs-api-key", "ElevenLabs API keys", keys(hexLow, 48, 48, "sk_"))
	add("cursor-api-key", "Cursor API keys", keys(hexLow, 64, 64, "key_", "crsr_"))
	add("browserbase-api-key", "Browserbase API keys", keys(dash, 25, 60, "bb_live_", "bb_test_"))
	add("apify-token", "Apify API tokens", keys(alnum, 36, 40, "apify_api_"))
	add("wandb-api-key", "Weights & Biases API keys", keys(word, 60, 120, "wandb_v1_"))

	// Code and packages.
	add("github-token", "GitHub personal, OAuth, app and refresh tokens",
		keys(dotted, 36, 600, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"), keys(word, 36, 255, "github_pat_"))
	add("gitlab-token", "GitLab personal, deploy, runner, trigger and job tokens",
		keys(dotted, 20, 300, "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-", "glrtr-", "GR1348941"))
	add("npm-token", "npm access tokens", keys(alnum, 36, 36, "npm_"))
	add("pypi-token", "PyPI upload tokens", keys(dash, 50, 0, "pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"))
	add("rubygems-api-key", "RubyGems API keys", keys(hexLow, 48, 48, "rubygems_"))
	add("crates-io-token", "crates.io tokens", keys(alnum, 32, 32, "cio"))
	add("docker-token", "Docker personal and organisation access tokens", keys(dash, 27, 40, "dckr_pat_", "dckr_oat_"))
	add("buildkite-token", "Buildkite user tokens", keys(hexLow, 40, 40, "bkua_"))
	add("circleci-token", "CircleCI personal tokens", keys(word, 40, 90, "CCIPAT_"))
	add("postman-api-key", "Postman API keys", keys(dash, 50, 70, "PMAK-"))
	add("artifactory-token", "Artifactory API keys and reference tokens", keys(alnum, 69, 69, "AKCp"), keys(alnum, 56, 56, "cmVmdGtu"))
	add("sonar-token", "SonarQube tokens", keys(hexLow, 40, 40, "sqp_", "squ_", "sqa_"))
	add("sourcegraph-token", "Sourcegraph access tokens", keys(word, 40, 64, "sgp_"))
	add("clojars-token", "Clojars deploy tokens", keys(alnum, 60, 60, "CLOJARS_"))
	add("octopus-api-key", "Octopus Deploy API keys", keys(alnum, 26, 26, "API-"))
	add("prefect-token", "Prefect API tokens", keys(alnum, 36, 36, "pnu_", "pnb_"))
	add("infracost-token", "Infracost API tokens", keys(alnum, 32, 32, "ico-"))
	add("readme-api-key", "ReadMe API keys", keys(alnum, 70, 70, "rdme_"))
	add("sentry-token", "Sentry user and organisation tokens", keys(base64c, 60, 0, "sntryu_"), shape(matchSentry, "sntrys_"))

	// Clouds and data.
	add("aws-access-key-id", "AWS access key identifiers", keys(base32, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA"))
	add("aws-secret-access-key", "AWS secret access keys under their name", folded(shape(matchNamed, awsNames...)))
	add("aws-bedrock-key", "Amazon Bedrock API keys", keys(base64c, 109, 269, "ABSK"), keys(base64c, 20, 0, "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"))
	add("alibaba-access-key", "Alibaba Cloud access key identifiers", keys(alnum, 20, 20, "LTAI"))
	add("openshift-token", "OpenShift user tokens", keys(dash, 43, 43, "sha256~"))
	add("dynatrace-token", "Dynatrace tokens", keys(dotted, 89, 89, "dt0c01.", "dt0s01.", "dt0s02."))
	add("clickhouse-key", "ClickHouse Cloud API secret keys", keys(alnum, 38, 38, "4b1d"))
	add("gcp-oauth", "Google OAuth client secrets, access and refresh tokens", keys(dash, 28, 28, "GOCSPX-"), keys(dotted, 40, 0, "ya29."), keys(dash, 40, 120, "1//0"))
	add("azure-key", "Azure account and shared access keys, client secrets",
		folded(shape(matchAzure, "accountkey=", "sharedaccesskey=")), headed("", numbered("Q~"), matchAzureAD),
		shape(matchAzureMark, azureMarks()...))
	add("airtable-token", "Airtable personal access tokens", shape(matchAirtable, "pat"))
	add("signed-url", "signatures of Azure, AWS and Google URLs", folded(shape(matchSigned, "sig=", "x-amz-signature=", "x-goog-signature=", "x-amz-security-token=")))
	add("digitalocean-token", "DigitalOcean tokens", keys(hexLow, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_"))
	add("cloudflare-key", "Cloudflare API tokens and origin CA keys", keys(word, 40, 80, "cfut_", "cfat_", "cfk_"), keys(dash, 160, 190, "v1.0-"))
	add("databricks-token", "Databricks tokens", shape(matchDatabricks, "dapi"))
	add("heroku-api-key", "Heroku API keys", keys(dash, 40, 80, "HRKU-"))
	add("fly-token", "Fly.io tokens", keys(base64c, 100, 0, "fm1_", "fm2_"), keys(dash, 43, 43, "fo1_"))
	add("supabase-key", "Supabase access tokens and secret keys", keys(hexLow, 40, 40, "sbp_"), keys(dash, 30, 60, "sb_secret_"))
	add("planetscale-token", "PlanetScale tokens and passwords", keys(dotted, 32, 64, "pscale_tkn_", "pscale_pw_", "pscale_oauth_"))
	add("netlify-token", "Netlify tokens", keys(alnum, 36, 40, "nfp_", "nfc_"))
	add("vercel-token", "Vercel access, app, refresh and gateway tokens", keys(alnum, 24, 80, "vcp_", "vci_", "vca_", "vcr_", "vck_"))
	add("neon-api-key", "Neon API keys", keys(alnum, 50, 70, "napi_"))
	add("tailscale-key", "Tailscale auth, API and client keys", keys(dash, 20, 80, "tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-"))
	add("render-api-key", "Render API keys", keys(alnum, 28, 40, "rnd_"))
	add("posthog-key", "PostHog personal API keys", keys(alnum, 40, 60, "phx_"))
	add("axiom-token", "Axiom API and personal tokens", keys(dash, 36, 36, "xaat-", "xapt-"))
	add("vault-token", "HashiCorp Vault tokens", keys(dash, 24, 0, "hvs.", "hvb.", "hvr."))
	add("terraform-token", "Terraform Cloud tokens", at(1, shape(matchAtlas, ".atlasv1.")))
	add("pulumi-token", "Pulumi tokens", keys(hexLow, 40, 40, "pul-"))
	add("doppler-token", "Doppler tokens", keys(alnum, 40, 44, "dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."), keys(dotted, 40, 80, "dp.st."))
	add("grafana-token", "Grafana service account and cloud tokens", keys(word, 40, 50, "glsa_"), keys(base64c, 40, 400, "glc_"))
	add("newrelic-key", "New Relic user, insert and browser keys", keys(alnum, 27, 27, "NRAK-"), keys(dash, 32, 32, "NRII-"), keys(hexLow, 19, 19, "NRJS-"))

	// Services.
	add("slack-token", "Slack bot, user, app and configuration tokens",
		shape(matchSlack, "xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-", "xoxo-"))
	add("teams-webhook", "Microsoft Teams webhook addresses", shape(matchTeams, "webhook.office.com/webhookb2/"))
	add("onepassword-token", "1Password service account tokens", keys(base64c, 100, 0, "ops_eyJ"))
	add("dropbox-token", "Dropbox short-lived tokens", keys(dash, 130, 0, "sl.u.", "sl.A", "sl.B", "sl.C"))
	add("facebook-token", "Facebook page access tokens", keys(alnum, 100, 0, "EAAM", "EAAC"))
	add("hubspot-token", "HubSpot private app tokens", keys(dash, 36, 36, "pat-na1-", "pat-na2-", "pat-eu1-"))
	add("plaid-token", "Plaid access tokens", keys(dash, 36, 36, "access-sandbox-", "access-development-", "access-production-"))
	add("easypost-key", "EasyPost API keys", keys(alnum, 54, 54, "EZAK", "EZTK"))
	add("flutterwave-key", "Flutterwave secret keys", keys(dash, 12, 40, "FLWSECK_TEST-", "FLWSECK-"))
	add("shippo-token", "Shippo API tokens", keys(hexLow, 40, 40, "shippo_live_", "shippo_test_"))
	add("duffel-token", "Duffel API tokens", keys(dash, 43, 43, "duffel_live_", "duffel_test_"))
	add("contentful-token", "Contentful management tokens", keys(dash, 43, 43, "CFPAT-"))
	add("mapbox-token", "Mapbox secret tokens", keys(dotted, 60, 0, "sk.eyJ"))
	add("settlemint-token", "SettleMint tokens", keys(alnum, 16, 16, "sm_pat_", "sm_aat_", "sm_sat_"))
	add("intra42-secret", "Intra 42 client secrets", keys(hexLow, 64, 64, "s-s4t2ud-", "s-s4t2af-"))
	add("mailchimp-key", "Mailchimp API keys", at(0, shape(matchMailchimp, "-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9")))
	add("frameio-token", "Frame.io API tokens", keys(dash, 64, 64, "fio-u-"))
	add("typeform-token", "Typeform API tokens", keys(dotted, 59, 59, "tfp_"))
	add("slack-webhook", "Slack webhook addresses", shape(matchWebhook, "hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"))
	add("discord-token", "Discord bot tokens and webhook addresses", headed("", discordHeads(), matchDiscord), keys(dash, 80, 95, "mfa."), at(4, shape(matchWebhook, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/")))
	add("telegram-bot-token", "Telegram bot tokens", shape(matchTelegram, ":AA"))
	add("stripe-key", "Stripe secret, restricted and webhook keys", keys(alnum, 16, 256, "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"))
	add("square-token", "Square access tokens and secrets", keys(dash, 22, 22, "sq0atp-"), keys(dash, 43, 43, "sq0csp-"))
	add("shopify-token", "Shopify tokens and secrets", keys(hexAny, 32, 32, "shpat_", "shpca_", "shppa_", "shpss_"))
	add("twilio-api-key", "Twilio API keys", headed("SK", twilioHeads(), matchTwilio))
	add("sendgrid-api-key", "SendGrid API keys", shape(matchSendGrid, "SG."))
	add("mailgun-key", "Mailgun private keys", keys(hexLow, 32, 32, "key-"))
	add("brevo-api-key", "Brevo API keys", keys(dash, 70, 90, "xkeysib-", "xsmtpsib-"))
	add("resend-api-key", "Resend API keys", shape(matchResend, "re_"))
	add("linear-key", "Linear API and OAuth keys", keys(alnum, 32, 64, "lin_api_", "lin_oauth_"))
	add("notion-token", "Notion integration tokens", keys(alnum, 40, 50, "ntn_"), keys(alnum, 43, 43, "secret_"))
	add("atlassian-token", "Atlassian API tokens", keys(dash, 60, 300, "ATATT3", "ATCTT3"))
	add("figma-token", "Figma tokens", keys(dash, 38, 60, "figd_"))

	// Shapes without a vendor.
	add("private-key", "PEM, OpenSSH and PGP private keys", at(5, shape(matchPEM, "-----BEGIN ")),
		shape(matchSSH2, "---- BEGIN SSH2 "), shape(matchMinisign, "encrypted secret key"), shape(matchJWK, "\"d\"", "\\\"d\\\""), shape(matchXMLKey, "<D>", `\u003cD\u003e`))
	add("putty-key", "private keys of PuTTY", shape(matchPuTTY, "Private-Lines: "))
	add("password-hash", "hashes of /etc/shadow", shape(matchShadow, ":$6$", ":$5$", ":$1$", ":$y$", ":$gy$", ":$2a$", ":$2b$", ":$2y$"))
	add("seed-phrase", "words that a wallet is made from", folded(shape(matchSeed, "mnemonic", "seed phrase", "seed_phrase", "seedphrase", "seed words", "recovery phrase", "recovery_phrase")))
	add("age-secret-key", "age secret keys and identities of plugins", keys(alnum, 58, 58, "AGE-SECRET-KEY-1"),
		keys(alnum, 58, 0, "AGE-SECRET-KEY-PQ-1"), keys(dash, 30, 0, "AGE-PLUGIN-"))
	add("wallet-key", "private keys of Bitcoin wallets and Nostr", keys(alnum, 100, 112, "xprv", "yprv", "zprv", "tprv"), keys(alnum, 58, 58, "nsec1"))
	add("jwt", "JSON Web Tokens", shape(matchJWT, "eyJ"), shape(matchJWT64, "ZXlK"))
	add("bearer-token", "bearer tokens in headers", folded(shape(matchBearer, "bearer ", "authorization: token ", "authorization\": \"token ", "authorization': 'token ", "authorization: api-token ", "authorization: apikey ")))
	add("command-password", "passwords in commands: curl -u, mysql -p, docker login -p, .netrc",
		shape(matchCommand, commandNames()...), shape(matchNetrc, "machine "))
	add("cookie", "values of cookies", folded(shape(matchCookie, "cookie: ", "cookie:", "cookie\"", "cookie\\\"", "cookie'", "--cookie ")), shape(matchCookieJar, "TRUE\t", "FALSE\t", `TRUE\t`, `FALSE\t`))
	add("docker-auth", "registry logins of Docker", shape(matchAuth, "\"auth\"", "\"auth\\", "_auth=", ":_auth"))
	add("kubernetes-secret", "values of Kubernetes secrets", folded(shape(matchKubernetes, "kind: secret", "kind: \"secret", "kind: 'secret", "kind\": \"secret\"", "kind\":\"secret\"", `kind\": \"secret\"`, `kind\":\"secret\"`)))
	add("basic-auth", "user and password in headers", folded(shape(matchBasic, "basic ")))
	add("url-password", "passwords and tokens in addresses", shape(matchURL, "://"), shape(matchDSN, "@tcp(", "@unix("), folded(shape(matchParameter, "?key=", "&key=", "?auth=", "&auth=", "?pass=", "&pass=")))
	add("secret-str", "pydantic SecretStr and SecretBytes values", shape(matchSecretStr, "SecretStr(", "SecretBytes("))
	add("password", "values under names such as password", folded(shape(matchNamed, passwordNames...)))
	add("secret", "values under names such as secret, token, api_key", folded(shape(matchNamed, secretNames...)))
	return all
}

var awsNames = []string{"secret_access_key", "secretaccesskey", "secret-access-key"}

var passwordNames = []string{"password", "passwd", "passphrase", "pwd", "passwort", "mot_de_passe"}

// A name that ends in "key" is ambiguous, so the words before it decide.
var secretNames = append([]string{"secret", "token", "credential", "authorization"},
	spelled("api", "access", "private", "encryption", "signing", "master", "auth", "account", "service", "license", "webhook", "client", "deploy", "ssh", "consumer")...)

// spelled returns api_key, api-key, apikey and, as in sentences, api key for api.
func spelled(words ...string) []string {
	var all []string
	for _, w := range words {
		all = append(all, w+"_key", w+"-key", w+"key", w+" key")
	}
	return all
}

// numbered puts each digit before s, for shapes whose fixed part is too short for a search.
func numbered(s string) []string {
	var all []string
	for d := byte('0'); d <= '9'; d++ {
		all = append(all, string(d)+s)
	}
	return all
}

// twilioHeads returns SK with two hexadecimal digits.
func twilioHeads() []string {
	var all []string
	for _, a := range "0123456789abcdef" {
		for _, b := range "0123456789abcdef" {
			all = append(all, "SK"+string(a)+string(b))
		}
	}
	return all
}

// discordHeads returns the beginnings of tokens: the base64 of the first digits of a bot's or
// user's id, which has 17 to 19.
func discordHeads() []string {
	var all []string
	for n := 100; n < 1000; n++ {
		all = append(all, base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(n))))
	}
	return all
}
