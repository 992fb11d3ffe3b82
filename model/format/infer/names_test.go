package infer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// fieldNames lists the names of fields that inference knows from the logs of many programs.
const fieldNames = `content text message body value msg prompt contenttext outputtext markdown utterance say name tool toolname function functionname
	recipientname arguments args input params parameters toolinput kwargs toolargs functionargs actioninput command cmd query code output result
	response returnvalue toolresult stdout observation toolresponse toolusereult cwd version title id uuid model branch gitbranch path agent
	author username status level description signature thoughtsignature encryptedcontent url host logger file filename sessionid hash
	finishreason stopreason subtype slug summary system tools tags options reason iserror error failed success exitcode state outcome reasoning
	reasoningcontent thinking thought thoughts timestamp time ts createdat created date datetime at starttime startedat usage tokens tokenusage
	usagemetadata metrics question task instruction instructions usermessage answer completion reply generation mes txt line dialogue
	messagetext speech what said conversationid chatid threadid dialogid dialogueid convid convoid conversationuuid sessionuuid chatuuid session
	conversation dialog thread chatsession chatsessionid discussionid roomid channelid gameid runid episodeid past generated`

// slotNames lists the fields of unlikely.
var slotNames = []string{"xwords", "xthink", "xwhen", "xtool", "xargs", "xout", "xerr", "xuse", "xwho", "xmore"}

// unlikely is a conversation whose fields have no name that inference knows.
const unlikely = `{"n":1,"xwho":"user","xwords":"Please list the files of the folder","xwhen":"2026-01-02T03:04:05Z","xmore":"ab"}
{"n":2,"xwho":"assistant","xthink":"I look at the folder first","xwords":"I will look at it now","xwhen":"2026-01-02T03:04:06Z","xuse":{"prompt_tokens":10,"completion_tokens":20},"xmore":"cd"}
{"n":3,"xwho":"assistant","xtool":"list_files","xargs":{"dir":"a"},"ref":"call_0001","xwhen":"2026-01-02T03:04:07Z","xmore":"ef"}
{"n":4,"xwho":"tool","ref":"call_0001","xout":"a.go b.go and more","xerr":false,"xwhen":"2026-01-02T03:04:08Z","xmore":"gh"}
{"n":5,"xwho":"assistant","xthink":"There are two of them","xwords":"There are two files in it","xwhen":"2026-01-02T03:04:09Z","xuse":{"prompt_tokens":11,"completion_tokens":21},"xmore":"ij"}
{"n":6,"xwho":"user","xwords":"And what do they say?","xwhen":"2026-01-02T03:04:10Z","xmore":"kl"}
{"n":7,"xwho":"assistant","xtool":"read_file","xargs":{"dir":"b"},"ref":"call_0002","xwhen":"2026-01-02T03:04:11Z","xmore":"mn"}
{"n":8,"xwho":"tool","ref":"call_0002","xout":"package a and nothing","xerr":true,"xwhen":"2026-01-02T03:04:12Z","xmore":"op"}
{"n":9,"xwho":"assistant","xthink":"It says little","xwords":"They say next to nothing","xwhen":"2026-01-02T03:04:13Z","xuse":{"prompt_tokens":12,"completion_tokens":22},"xmore":"qr"}
`

// TestFieldNames records how the inferred rules change if one field of a conversation has a known
// name. The golden file has a line for each name that changes them.
func TestFieldNames(t *testing.T) {
	var b strings.Builder
	kit := saying()
	inferred := func(slot, name string) string {
		found := Find(sampleOf([]byte(strings.ReplaceAll(unlikely, slot, name))), kit)
		if found == nil {
			return "nothing"
		}
		return strings.ReplaceAll(rulesText(found), name, slot)
	}
	for _, slot := range slotNames {
		plain := inferred(slot, "xqj")
		fmt.Fprintf(&b, "%s: %s\n", slot, plain)
		for name := range strings.FieldsSeq(fieldNames) {
			if got := inferred(slot, name); got != plain {
				fmt.Fprintf(&b, "%s %s: %s\n", slot, name, got)
			}
		}
	}
	modeltest.Golden(t, filepath.Join("testdata", "fieldnames.golden"), b.String())
}

// rulesText returns the inferred rules, without empty fields.
func rulesText(f *Found) string {
	var parts []string
	for _, r := range f.Format.Rules {
		text := fmt.Sprintf("%+v", r)
		var kept []string
		for word := range strings.FieldsSeq(strings.Trim(text, "{}")) {
			if name, value, ok := strings.Cut(word, ":"); !ok || value != "" && value != "[]" && value != "map[]" && value != "0" && value != "false" && value != "<nil>" && name != "" {
				kept = append(kept, word)
			}
		}
		parts = append(parts, strings.Join(kept, " "))
	}
	return strings.Join(parts, "; ")
}
