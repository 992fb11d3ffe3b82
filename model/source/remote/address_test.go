package remote

import "testing"

// TestHostsThatAreOptions has names of hosts and users that ssh or a shell could misinterpret: none
// is an address.
func TestHostsThatAreOptions(t *testing.T) {
	for _, name := range []string{
		"-oProxyCommand=touch:x", "-oProxyCommand=x@h:x", "-F/tmp/evil:x", "-l@h:x", "u@-oProxyCommand=x:y", "u@-h:x", "u@h@-p22:x", "u@h@g:x", "@h:x", "u@:x",
		".h:x", "h\n-oX:x", "h\r:x", "h\x00:x", "u\nv@h:x", "h\tg:x", "h g:x", " h:x", "h;touch:x", "$(touch x):y", "`touch`:x", "h|x:y", "h&x:y", "h>x:y", "h%p:x", "h=1:x",
		"\u2010h:x", "h\u202e:x", "\uff0doX:x", "'h':x", "h*:x", "~u:x", "{a,b}:x", "h\\x:y", "ssh://h:x", "ssh://-oProxyCommand=x/y", "[::1]:x", "%h:x", "#h:x", "!h:x",
	} {
		if a, ok := Parse(name); ok {
			t.Errorf("%q is the address %+v", name, a)
		}
	}
	for _, name := range []string{"h:x", "u@h:x", "u-v@h-g.example.net:x y", "h:-rf", "h:a\nb"} {
		if _, ok := Parse(name); !ok {
			t.Errorf("%q is not an address", name)
		}
	}
}
