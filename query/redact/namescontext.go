package redact

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// contexts maps words, in lower case, that may have a name next to them to the function that finds
// it.
func contexts() map[string]surroundings {
	all := map[string]surroundings{}
	add := func(look surroundings, words ...string) {
		for _, w := range words {
			all[w] = look
		}
	}
	add((*Names).home, "home", "users")
	add((*Names).variable, "user", "logname", "username", "hostname", "computername")
	add((*Names).kernel, "linux", "darwin")
	add((*Names).identity, "uid", "gid")
	add((*Names).listedFolder, "drwx", "drwxr", "drwxrwx", "drwxrwxr", "drwxrws")
	add((*Names).sshTarget, "ssh")
	add((*Names).gitName, "name")
	add((*Names).domain, "local", "internal", "lan", "corp", "intra", "localdomain")
	add((*Names).forge, "github", "gitlab", "bitbucket", "codeberg")
	return all
}

// learnUser learns a user, unless the name is an ordinary word.
func (n *Names) learnUser(name, with string) {
	low := strings.ToLower(name)
	if longEnough(name) && !commonWords(low) && !sampleNames(low) {
		n.learn(User, name, with)
	}
}

// home finds the user of a home folder: in /home/anna, C:\Users\anna, and -home-anna- in a
// folder name that encodes a path.
func (n *Names) home(s *scan, at, end int) {
	t := s.text
	name := string(t[at:end])
	if name != "home" && !strings.EqualFold(name, "users") || name == "users" && s.before(at) != '\\' || at == 0 || end+1 >= len(t) {
		return
	}
	from, stop := 0, 0
	switch {
	case t[at-1] == '/' && t[end] == '/' && s.absolute(at-1):
		from = end + 1
		stop = s.pathName(from)
		if s.after(stop) != '/' && commonWords(strings.ToLower(string(t[from:stop]))) {
			return // a page of a site
		}
	case t[at-1] == '\\' && t[end] == '\\' || t[at-1] == '\\' && t[end] == '/':
		from = s.drive(at, end)
		if from == 0 {
			return
		}
		stop = s.windowsName(from)
	case t[at-1] == '-' && t[end] == '-' && name != "users":
		if at > 1 && (is(t[at-2], word) || t[at-2] == '-' || t[at-2] == '.') && s.before(at-1) != ' ' {
			return
		}
		from = end + 1
		stop = wordEnd(t, from)
		if c := s.after(stop); c != '-' && c != '/' && c != '"' && c != '\\' && c != 0 && c != '\n' {
			return
		}
	case at >= 3 && t[at-3] == '%' && hasFold(t[at-3:], "%2f") && hasFold(t[end:], "%2f"):
		from = end + 3
		stop = s.pathName(from)
	default:
		return
	}
	user := string(t[from:stop])
	if stop < len(t) && beginsLetter(t, stop) || n.longer(s, from, stop) || !isUser(user) {
		return
	}
	with := n.replacement("user", user)
	s.name(from, stop, Home, with)
	n.learnUser(user, with)
}

// longer finds a learned name at i that ends after stop, such as anna-kern in -home-anna-kern-src.
// It reports whether there is one.
func (n *Names) longer(s *scan, i, stop int) bool {
	e := (*n.entries.Load())[strings.ToLower(string(s.text[i:wordEnd(s.text, i)]))]
	inner := scan{text: s.text}
	if e == nil || !n.learned(&inner, e, i) || inner.found[0].end <= stop {
		return false
	}
	s.name(i, inner.found[0].end, Home, inner.found[0].with)
	return true
}

// absolute reports whether the / at i begins a path.
func (s *scan) absolute(i int) bool {
	p := s.before(i)
	if p == '/' {
		return i > 1 && s.text[i-2] == '/' && i > 2 && s.text[i-3] == ':' || i > 2 && s.text[i-2] == '/' && s.text[i-3] == '/'
	}
	if !is(p, word) && p != '.' && p != '-' && p != ')' && p != '}' && p != ']' && p != '~' && p != '*' && p != '%' {
		return true
	}
	if (p == '-' || p == '+') && (i < 2 || s.before(i-1) == ' ' || s.text[i-2] == '\n') {
		return true // in a diff
	}
	for _, mount := range [...]string{"/var", "/export", "/mnt", "/mnt/c", "/mnt/d", "/c", "/d", "/host", "/usr", "/data", "/rootfs", "/System/Volumes/Data", "/private"} {
		if bytes.HasSuffix(s.text[:i], []byte(mount)) {
			return true
		}
	}
	return false
}

// pathName returns the end of the name in a path that begins at i.
func (s *scan) pathName(i int) int {
	stop := i
	for stop < len(s.text) && stop-i < 64 && (is(s.text[stop], dotted) || s.text[stop] >= 0x80) {
		stop++
	}
	// punctuation of the sentence
	for stop > i && (s.text[stop-1] == '.' || s.text[stop-1] == '-') {
		stop--
	}
	if mark := bytes.Index(s.text[i:stop], []byte("…")); mark >= 0 {
		stop = i + mark
	}
	return stop
}

// drive returns the start of the user in a Windows path with Users at text[at:end], or 0.
func (s *scan) drive(at, end int) int {
	t := s.text
	from := at
	for from > 0 && t[from-1] == '\\' {
		from--
	}
	if from == 0 || t[from-1] != ':' || at-from > 8 {
		return 0
	}
	to := end
	for to < len(t) && (t[to] == '\\' || t[to] == '/') {
		to++
	}
	return to
}

// windowsName returns the end of the user in a Windows path. The name may contain a space.
func (s *scan) windowsName(i int) int {
	t := s.text
	stop := i
	for stop < len(t) && stop-i < 40 && (is(t[stop], dotted) || t[stop] >= 0x80 || t[stop] == ' ') {
		stop++
	}
	if s.after(stop) == '\\' {
		return stop
	}
	if blank := bytes.IndexByte(t[i:stop], ' '); blank >= 0 {
		stop = i + blank
	}
	return stop
}

// variable finds the value of USER=anna, HOSTNAME=build-7 and "hostname": "build-7".
func (n *Names) variable(s *scan, at, end int) {
	t := s.text
	name := string(t[at:end])
	host := strings.HasPrefix(strings.ToLower(name), "host") || strings.HasPrefix(strings.ToLower(name), "comp")
	if p := s.before(at); is(p, word) && !bytes.HasSuffix(t[:at], []byte("SUDO_")) || p == '-' || p == '$' || p == '{' {
		return
	}
	i := end
	upper := strings.ToUpper(name) == name
	switch {
	case upper && s.after(i) == '=':
		i++
	case host && (s.after(i) == '"' || s.after(i) == '\\'):
		i = s.member(i)
	default:
		return
	}
	for i < len(t) && (t[i] == '"' || t[i] == '\'' || t[i] == '\\' && i+1 < len(t) && t[i+1] == '"') {
		i++
	}
	stop := s.pathName(i)
	value := string(t[i:stop])
	if c := s.after(stop); c == '(' || c == '{' || c == '$' || c == '<' {
		return
	}
	if host {
		n.foundHost(s, i, stop, value)
		return
	}
	if low := strings.ToLower(value); isUser(value) && !commonWords(low) && !sampleNames(low) {
		with := n.replacement("user", value)
		s.name(i, stop, User, with)
		n.learnUser(value, with)
	}
}

// member returns the start of the text in the value of a member whose name ends at i, or the end of
// the text.
func (s *scan) member(i int) int {
	t := s.text
	for _, sign := range [...]string{"\"", ":"} {
		for i < len(t) && (t[i] == '\\' || t[i] == ' ') {
			i++
		}
		if i == len(t) || t[i] != sign[0] {
			return len(t)
		}
		i++
	}
	for i < len(t) && (t[i] == '\\' || t[i] == ' ') {
		i++
	}
	if s.after(i) != '"' {
		return len(t)
	}
	return i + 1
}

// foundHost replaces a host that the surrounding text identifies as one.
func (n *Names) foundHost(s *scan, from, stop int, host string) {
	short, _, _ := strings.Cut(host, ".")
	if !isHost(short) || host != short && common(host) {
		return
	}
	with := n.replacement("host", short)
	s.name(from, stop, Host, with)
	if distinct(short) {
		n.learn(Host, short, with)
	}
}

// kernel finds the host in the output of uname -a: Linux build-7 6.8.0 #1 SMP.
func (n *Names) kernel(s *scan, at, end int) {
	if s.after(end) != ' ' {
		return
	}
	stop := s.pathName(end + 1)
	if c := s.after(stop + 1); stop > end+1 && s.after(stop) == ' ' && c >= '1' && c <= '9' && s.digitsDot(stop+1) {
		n.foundHost(s, end+1, stop, string(s.text[end+1:stop]))
	}
}

// digitsDot reports whether the version of a kernel begins at i: 6.8.0-…
func (s *scan) digitsDot(i int) bool {
	dots := 0
	for n := 0; i < len(s.text) && n < 10; n, i = n+1, i+1 {
		switch c := s.text[i]; {
		case c == '.':
			dots++
		case c < '0' || c > '9':
			return dots == 2
		}
	}
	return false
}

// identity finds the user in uid=1000(anna).
func (n *Names) identity(s *scan, _, end int) {
	t := s.text
	i := end
	if s.after(i) != '=' {
		return
	}
	for i++; i < len(t) && t[i] >= '0' && t[i] <= '9'; i++ {
	}
	if s.after(i) != '(' {
		return
	}
	stop := s.pathName(i + 1)
	if s.after(stop) == ')' {
		n.foundUser(s, i+1, stop)
	}
}

func (n *Names) foundUser(s *scan, from, stop int) {
	name := string(s.text[from:stop])
	if !isUser(name) || commonWords(strings.ToLower(name)) {
		return
	}
	with := n.replacement("user", name)
	s.name(from, stop, User, with)
	n.learnUser(name, with)
}

// listedFolder finds the owner and group of a folder in the output of ls -l.
func (n *Names) listedFolder(s *scan, at, _ int) { n.listed(s, at) }

// listed finds the owner and group in a line of ls -l whose permissions begin at i.
func (n *Names) listed(s *scan, i int) {
	t := s.text
	if i+10 >= len(t) || s.before(i) != ' ' && s.before(i) != '\n' && s.before(i) != '"' {
		return
	}
	for _, c := range t[i+1 : i+10] {
		if strings.IndexByte("-rwxsStT", c) < 0 {
			return
		}
	}
	i += 10
	for i < len(t) && strings.IndexByte("+.@", t[i]) >= 0 {
		i++
	}
	i = s.blank(i)
	from := i
	for i < len(t) && t[i] >= '0' && t[i] <= '9' {
		i++
	}
	if i == from {
		return
	}
	owner := s.blank(i)
	ownerEnd := s.pathName(owner)
	group := s.blank(ownerEnd)
	groupEnd := s.pathName(group)
	if size := s.blank(groupEnd); owner == i || group == ownerEnd || size == groupEnd || s.after(size) < '0' || s.after(size) > '9' {
		return
	}
	n.foundUser(s, owner, ownerEnd)
	n.foundUser(s, group, groupEnd)
}

// sshTarget finds the host in ssh build-7. To skip words of a sentence about ssh, it accepts
// only hosts with a digit or a dash.
func (n *Names) sshTarget(s *scan, _, end int) {
	if s.after(end) != ' ' {
		return
	}
	stop := s.pathName(end + 1)
	host := string(s.text[end+1 : stop])
	if c := s.after(stop); c == '@' || c == '/' || c == '_' || !distinct(host) || !strings.ContainsAny(host, "0123456789") || strings.Contains(host, ".") {
		return
	}
	n.foundHost(s, end+1, stop, host)
}

// gitName finds the name in git config user.name "Anna Kern".
func (n *Names) gitName(s *scan, at, end int) {
	t := s.text
	if !bytes.HasSuffix(t[:at], []byte("user.")) {
		return
	}
	i := end
	for i < len(t) && i-end < 6 && strings.IndexByte(" =\\", t[i]) >= 0 {
		i++
	}
	if c := s.after(i); c != '"' && c != '\'' {
		return
	}
	i++
	stop := i
	for stop < len(t) && stop-i < 60 && strings.IndexByte("\"'\\\n<$", t[stop]) < 0 {
		stop++
	}
	name := string(t[i:stop])
	first, last, ok := strings.Cut(name, " ")
	if letter, _ := utf8.DecodeRuneInString(name); spaceless(letter) && longEnough(name) {
		first, last, ok = name, name, true
	}
	if !ok || first == "" || last == "" || first[0] > 'Z' && first[0] < 0x80 || isStanding("user", name) {
		return
	}
	for _, w := range [...]string{"Test", "Your", "Example", "Claude", "Bot", "CI ", "Dummy"} {
		if strings.Contains(name, w) {
			return
		}
	}
	with := n.replacement("user", name)
	s.name(i, stop, User, with)
	n.learn(User, name, with)
}

// domain finds a host in the domain of a private network: build-7.local.
func (n *Names) domain(s *scan, at, end int) {
	t := s.text
	if s.before(at) != '.' || is(s.after(end), word) || s.after(end) == '(' || s.after(end) == '-' {
		return
	}
	if s.after(end) == '.' && end+1 < len(t) && is(t[end+1], word) {
		return
	}
	from := at - 1
	for from > 0 && at-from < 80 && (is(t[from-1], alnum) || t[from-1] == '-' || t[from-1] == '.') {
		from--
	}
	from = s.afterEscape(from, at-1)
	p := s.before(from)
	host := string(t[from : at-1])
	short, _, _ := strings.Cut(host, ".")
	if !isHost(short) || common(string(t[from:end])) || p == '_' || p == '/' && !bytes.HasSuffix(t[:from], []byte("://")) {
		return
	}
	if p != '@' && p != '/' && !distinct(short) {
		return
	}
	with := n.replacement("host", short)
	s.name(from, end, Host, with)
	if distinct(short) {
		n.learn(Host, short, with)
	}
}

// common reports whether a host is so common that it identifies nothing.
func common(host string) bool {
	host = strings.ToLower(host)
	for _, end := range [...]string{"docker.internal", "google.internal", "cluster.local", "containers.internal", "localhost.localdomain"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// remote finds the repository in git@host:owner/name, whose host is text[from:end].
func (n *Names) remote(s *scan, from, end int) {
	host := strings.ToLower(string(s.text[from:end]))
	if !publicForges(host) && !publicForges(strings.TrimPrefix(strings.TrimPrefix(host, "alt"), "ssh.")) && isHost(host) {
		s.name(from, end, Host, n.replacement("host", host))
	}
	n.repository(s, end+1, true, true)
}

// forge finds the repository in the address of a forge, if the address is that of a remote.
func (n *Names) forge(s *scan, at, end int) {
	t := s.text
	i := end
	for i < len(t) && i-end < 24 && (is(t[i], alnum) || t[i] == '.' || t[i] == '-') {
		i++
	}
	if s.after(i) != '/' || !publicForges(strings.ToLower(string(t[at:i]))) || s.before(at) == '.' {
		return
	}
	remote := s.commandBefore(at, "git clone ", "git remote ", "remote:", "git push ", "git fetch ", "git pull ", "origin\t", `origin\t`, "upstream\t", `upstream\t`, "origin ", "upstream ")
	metadata := s.follows(at, "/src/", "url = https://", "url=https://", "url = ssh://git@") || s.memberBefore(at, "repository_url", "repositoryurl", "remote_url", "remoteurl", "gitremote", "git_remote", "remote", "origin", "git_origin_url", "giturl", "git_url", "originurl")
	n.repository(s, i+1, metadata, remote || metadata)
}

// memberBefore reports whether the JSON member or variable with its value at i has one of these
// names.
func (s *scan) memberBefore(i int, names ...string) bool {
	line := bytes.ToLower(s.text[max(0, i-60):i])
	at := max(bytes.LastIndexByte(line, ','), bytes.LastIndexByte(line, '{'), bytes.LastIndexByte(line, '\n'))
	line = line[at+1:]
	for _, name := range names {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(string(line), " \t\\n\""), name); ok && (rest == "" || !is(rest[0], word)) {
			return true
		}
	}
	return false
}

// repository finds owner/name at i. It replaces a certain repository wherever its name is a word,
// others only after their owner.
func (n *Names) repository(s *scan, i int, certain, found bool) {
	t := s.text
	if !found || i >= len(t) {
		return
	}
	if t[i] == '/' {
		i++
	}
	ownerEnd := s.pathName(i)
	if strings.Trim(string(t[i:ownerEnd]), "0123456789") == "" && s.after(ownerEnd) == '/' { // a port
		i = ownerEnd + 1
		ownerEnd = s.pathName(i)
	}
	if s.after(ownerEnd) != '/' {
		return
	}
	from, stop := ownerEnd+1, s.pathName(ownerEnd+1)
	for s.after(stop) == '/' && certain && stop-i < 120 && is(s.after(stop+1), alnum) && bytes.Contains(t[stop:min(len(t), stop+60)], []byte(".git")) { // a group within a group
		from, stop = stop+1, s.pathName(stop+1)
	}
	if bytes.HasSuffix(t[from:stop], []byte(".git")) {
		stop -= len(".git")
	}
	owner, name := string(t[i:from-1]), string(t[from:stop])
	low := strings.ToLower(owner)
	if owner == "" || name == "" || publicOwners(low) || placeholderOwners(low) || isStanding("owner", low) || strings.HasPrefix(low, "your") || strings.HasPrefix(low, "example") {
		return
	}
	withOwner, withName := n.replacement("owner", owner), n.replacement("repo", name)
	s.name(i, stop, Repository, withOwner+"/"+withName)
	n.learn(Repository, owner+"/"+name, withOwner+"/"+withName)
	if certain && distinct(name) {
		n.learn(Repository, name, withName)
	}
	if certain && distinct(owner) {
		n.learn(Repository, owner, withOwner)
	}
}

// distinct reports whether a name is unlikely to be an ordinary word: it has letters and a
// digit or a separator.
func distinct(name string) bool {
	return len(name) > 4 && strings.ContainsAny(name, "-_.0123456789") && strings.ContainsAny(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz") && !commonWords(strings.ToLower(name))
}

// isUser reports whether a text may be the name of a person's account.
func isUser(name string) bool {
	low := strings.ToLower(name)
	if len(name) < 2 || len(name) > 40 || plainUsers(low) || isStanding("user", low) || name[0] == '.' || name[0] == '-' {
		return false
	}
	if strings.Trim(name, "0123456789_.-") == "" {
		return false
	}
	dot := strings.LastIndexByte(low, '.')
	return dot < 0 || !fileEndings(low[dot+1:])
}

// isHost reports whether a text may be the name of a machine.
func isHost(name string) bool {
	low := strings.ToLower(name)
	if len(name) < 2 || len(name) > 63 || plainHosts(low) || plainUsers(low) || commonWords(low) || isStanding("host", low) {
		return false
	}
	if strings.Trim(name, "0123456789.-") == "" || !is(name[0], alnum) {
		return false
	}
	dot := strings.LastIndexByte(low, '.')
	return dot < 0 || !fileEndings(low[dot+1:])
}
