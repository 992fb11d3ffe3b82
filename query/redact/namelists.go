package redact

import (
	"strings"
	"sync"
)

// listOf returns a function that reports whether a word is in a list. The list is read at the first
// question: most runs of turns ask none.
func listOf(words string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			all[w] = true
		}
		return all
	})
	return func(word string) bool { return set()[word] }
}

// plainUsers are accounts of systems, images and examples. They do not identify a person, so they
// stay.
var plainUsers = listOf(`root user users ubuntu admin administrator runner runneradmin node app dev test vscode codespace codespaces jovyan
ec2-user debian centos fedora alpine arch pi git www-data nobody nogroup daemon default public shared guest sandbox agent claude codex gemini
openhands swe swe-agent oai linuxbrew homebrew vagrant docker build builder jenkins gitlab-runner circleci travis postgres mysql redis nginx
coder gitpod workspace project username your-username yourusername your_username youruser yourname your-name user-name user_name me you name
foo bar baz qux example someone somebody xxx xxxx staff wheel sudo adm sys bin mail games man lp news proxy backup list irc tty utmp video
audio disk cdrom floppy dialout plugdev lpadmin sambashare docker-users everyone system local localuser testuser test-user test_user demo
deploy deployer service ci bot www http ftp ssh sshd developer devcontainer container model-user appuser app-user nonroot non-root kasm-user
kali opc azureuser ec2 oracle solr elastic elasticsearch airflow spark hadoop hive jupyter notebook python java ruby rails perl php go rust`)

// plainHosts are machine names that do not identify anyone, so they stay.
var plainHosts = listOf(`localhost localdomain host hostname server example github gitlab bitbucket ubuntu debian fedora alpine archlinux kali
raspberrypi db database redis postgres mysql mongo rabbitmq kafka web api app backend frontend proxy nginx cache worker queue latest next
beta alpha canary rc main master stable dev test prod production staging types types-node npm workspace any none null undefined string
machine computer node ip unknown docker sandbox runner container buildkitsandbox codespaces compatible x86_64 version kernel gnu`)

// sampleNames are the people of examples. In a path they are ordinary users.
var sampleNames = listOf(`alice bob carol dave eve john jane joe jdoe johndoe janedoe doe smith foo bar max mustermann jim tom tim sam ann anna`)

// commonWords are ordinary words, which appear in texts for other reasons than as a name.
var commonWords = listOf(`adam honor hope grace faith drew rich frank dean earl duke king prince angel rose iris ivy lily violet olive jade
dawn joy merit ruby crystal sky summer april june august ray pat jack sample about dashboard navbar footer modal admin onboarding chats discover trending account accounts action actions add api apps archive art assets assistant auth author base bash basic beta
bill blog board book books branch browser build cache calendar call cat cell chase chat check class clean client cloud code command common
community config connect contact content context copy core create current custom data database date debug default delete design desktop
detail details dist doc docs document documents domain download downloads drive edit editor email end engine error event events example
examples explore feed field file files filter find folder form format forum frame frontend function game general get global grant graph
group groups guide hash head header hello help hidden history home homepage host hub icon image images import inbox index info init input
install item items jobs json kernel key keys label landing lang layout lib library light line link linux list load log login logout logs
mac mail main map mark may media member menu message messages model models module month more music name network new news none note
notes object office open option options order output overview own owner package page pages panel parent part password path pay people
phone photos picture pictures play plugin plus point policy port post posts power preferences preview price private process product
products profile profiles program project projects prompt public python query queue read react readme recent register release remote
report reports request reset resource response result results rob role root route router run sale sample save schema school scratch
screen script search section security select server service services session set settings setup shop show sidebar sign site size skill
skills slot software source space src staff start state static status storage store stream string student style styles subscribe summary
super support system tab table tag task tasks team template templates temp term terminal test tests text theme time timeline title todo
token tool tools top topic trash tree type types update upload user users util utils value vendor video videos view views web website
welcome wheel widget wiki will window windows word work workflow works workspace world write year conda miniconda anaconda miniconda3
anaconda3 opt var usr etc mnt srv lost+found openclaw cursor opencode goose aider cline copilot amp droid kimi qwen crush`)

// fileEndings are file extensions that look like top-level domains.
var fileEndings = listOf(`png jpg jpeg gif svg webp ico js jsx ts tsx mjs cjs py rb go rs java kt c h cc cpp hpp cs php sh bash zsh md mdx rst txt json
jsonl yaml yml toml xml html htm css scss less map lock log csv tsv sql db sqlite zip gz tgz tar bz2 xz whl egg jar exe dll so dylib pdf doc docx
vue svelte swift scala lua pl r ipynb ini cfg conf env bak tmp out patch diff`)

// topDomains are the top-level domains with more than two letters.
var topDomains = listOf(`com org net edu gov mil int info biz name pro dev app tech cloud xyz online site email agency company network systems
solutions digital studio software example test invalid local internal corp lan localdomain academy software engineering consulting space world
live life blog shop store team work zone group global media news page link host website wiki science bank law health care`)

// sampleDomains are domains of addresses in examples.
var sampleDomains = listOf(`example test invalid test.com email.com domain.com company.com mycompany.com foo.com bar.com acme.com`)

// publicForges are public servers of repositories.
var publicForges = listOf(`github.com gitlab.com bitbucket.org codeberg.org`)

// placeholderOwners are words that addresses and instructions have in place of a repository's
// owner: placeholders, and pages of a forge.
var placeholderOwners = listOf(`owner org user username your-username yourusername your-org your_org yourorg example some-org someorg foo bar acme-inc
features marketplace topics settings login orgs users sponsors about pricing search explore apps notifications enterprise repos api raw blob
<owner> $owner {owner} -`)

// publicOwners are owners of well-known public repositories. Their names do not identify the
// user.
var publicOwners = listOf(`golang python django torvalds kubernetes rust-lang nodejs microsoft google facebook facebookresearch meta apple amazon aws
awslabs azure googleapis googlecloudplatform openai anthropics anthropic huggingface pytorch tensorflow keras-team scikit-learn numpy scipy pandas-dev
matplotlib psf pallets tiangolo fastapi encode pydantic astral-sh sympy astropy sphinx-doc pytest-dev pylint-dev mwaskom pydata jupyter ipython apache
mozilla gnome kde freedesktop git github cli actions docker moby hashicorp grafana prometheus elastic redis postgres mysql mongodb sqlite spf13
charmbracelet stretchr gin-gonic gorilla uber-go cockroachdb etcd-io containerd helm istio envoyproxy open-telemetry opencontainers cncf vercel nextjs
reactjs vuejs angular sveltejs vitejs webpack babel eslint prettier typescript-eslint denoland oven-sh npm yarnpkg pnpm expressjs nestjs axios lodash
jquery twbs tailwindlabs mui ant-design remix-run withastro electron tauri-apps flutter dart-lang jetbrains spring-projects gradle square rails ruby
rubygems laravel symfony php composer dotnet nuget llvm gcc-mirror qt opencv bazelbuild protocolbuffers grpc curl openssl nginx tokio-rs serde-rs
clap-rs hyperium rust-analyzer neovim vim zsh-users ohmyzsh junegunn burntsushi sharkdp tmux alacritty kovidgoyal nix-community nixos homebrew archlinux
debian ubuntu canonical modelcontextprotocol langchain-ai run-llama ollama ggerganov ggml-org ggml vllm-project stanfordnlp swe-bench princeton-nlp
swe-agent all-hands-ai openhands sst block google-gemini qwenlm deepseek-ai mistralai meta-llama cline roocodeinc continuedev aider-ai paul-gauthier
badlogic anomalyco moonshotai charm bubbletea laude-institute ukgovernmentbeis inspect_ai harbor-framework nousresearch letta-ai crewaiinc significant-gravitas`)
