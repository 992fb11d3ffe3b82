package format

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"turns/model"
)

// ordinary are records of logs, configurations and data sets that are not conversations; %[1]d is
// the number of the record, and the other words are random.
var ordinary = map[string]string{
	"access log":     `{"time":"2026-03-01T10:%02[1]d:00Z","remote_addr":"10.0.0.%[1]d","method":"%[2]s","path":"/api/items/%[1]d","status":200,"bytes":%[1]d12,"user_agent":"Mozilla/5.0 (X11; Linux x86_64)"}`,
	"application":    `{"ts":177235920%[1]d,"level":"%[3]s","logger":"app.worker","msg":"processed batch %[1]d in time","user":"user%[1]d","request_id":"r-%[1]d7f"}`,
	"audit":          `{"actor":{"type":"%[4]s","id":"u%[1]d"},"action":"%[5]s","target":{"type":"repo","id":"r%[1]d"},"at":"2026-03-01T10:00:%02[1]dZ","note":"changed the visibility of a project"}`,
	"people":         `{"id":%[1]d,"name":"Person %[1]d","role":"%[6]s","email":"p%[1]d@example.org","bio":"Likes long walks and short meetings, number %[1]d."}`,
	"reviews":        `{"review_id":"rv%[1]d","stars":%[1]d,"text":"The product number %[1]d arrived in time and works as it should.","verified":true}`,
	"metrics":        `{"metric":"cpu.load","value":0.%[1]d,"tags":{"host":"web-%[1]d","region":"eu"},"timestamp":177235920%[1]d}`,
	"kubernetes":     `{"kind":"Event","type":"%[7]s","reason":"Scheduled","message":"Successfully assigned default/pod-%[1]d to node-1","involvedObject":{"kind":"Pod","name":"pod-%[1]d"}}`,
	"hub events":     `{"id":"%[1]d","type":"PushEvent","actor":{"login":"dev%[1]d","type":"User"},"payload":{"size":1,"commits":[{"sha":"abc%[1]d","message":"Fix the build on number %[1]d"}]},"created_at":"2026-03-01T10:00:00Z"}`,
	"build":          `{"step":%[1]d,"command":"make test","result":"%[8]s","duration_ms":%[1]d00,"output":"ok turns/model %[1]d.1s and all is well"}`,
	"trail":          `{"eventName":"%[5]sBucket","eventSource":"s3.example.com","userIdentity":{"type":"IAMUser","userName":"svc%[1]d"},"requestParameters":{"bucketName":"b%[1]d"},"responseElements":null,"eventTime":"2026-03-01T10:00:00Z"}`,
	"geography":      `{"type":"Feature","geometry":{"type":"Point","coordinates":[%[1]d.1,2]},"properties":{"name":"Place %[1]d"}}`,
	"translation":    `{"key":"menu.item.%[1]d","en":"Open the file number %[1]d","de":"Datei %[1]d öffnen"}`,
	"news":           `{"title":"Headline %[1]d of the day","body":"A long text about the weather and other things, part %[1]d.","author":"Reporter %[1]d","published":"2026-03-01"}`,
	"orders":         `{"order":"o-%[1]d","customer":"c-%[1]d","lines":[{"sku":"s%[1]d","qty":2}],"state":"%[8]s","comment":"Please ring the bell twice"}`,
	"bank":           `{"tx":"t%[1]d","type":"%[9]s","amount":"%[1]d.00","text":"Transfer of rent for month %[1]d","account":"DE%[1]d"}`,
	"trace":          `{"traceId":"%[1]da","spanId":"%[1]db","name":"GET /items","kind":"%[10]s","startTime":177235920%[1]d000,"attributes":{"http.method":"GET","http.target":"/items/%[1]d"}}`,
	"dependency":     `{"name":"pkg-%[1]d","version":"1.%[1]d.0","resolved":"https://example.org/pkg-%[1]d.tgz","dependencies":{"left-pad":"^1.0.0"}}`,
	"crash":          `{"signal":"SIGSEGV","thread":%[1]d,"frames":[{"function":"main.run","file":"main.go","line":%[1]d},{"function":"main.main","file":"main.go","line":9}]}`,
	"test results":   `{"Time":"2026-03-01T10:00:00Z","Action":"%[11]s","Package":"turns/model","Test":"TestNumber%[1]d","Output":"--- PASS: TestNumber%[1]d (0.00s)\n"}`,
	"machine":        `{"MESSAGE":"Started Session %[1]d of User root.","PRIORITY":"6","_COMM":"systemd","_PID":"1","__REALTIME_TIMESTAMP":"177235920%[1]d000000"}`,
	"issue tracker":  `{"number":%[1]d,"state":"open","user":{"login":"someone%[1]d","type":"%[4]s"},"title":"It breaks at number %[1]d","labels":[{"name":"bug"}]}`,
	"permissions":    `{"role":"%[6]s","resource":"db/%[1]d","actions":["read","write"],"description":"May do all that readers of %[1]d may"}`,
	"pipeline":       `{"stage":"deploy","agent":"runner-%[1]d","tool":"helm","args":{"chart":"web","n":%[1]d},"status":"%[8]s","log":"Release web has been upgraded, happy helming"}`,
	"language":       `{"jsonrpc":"2.0","id":%[1]d,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a%[1]d.go"},"position":{"line":%[1]d,"character":4}}}`,
	"message bus":    `{"source":"plc-%[1]d","type":"TextMessage2","content":"The pump number %[1]d runs as it should","created_at":"2026-03-01T10:00:00Z"}`,
	"questions":      `{"q":"How many legs have %[1]d spiders?","choices":["8","16","24"],"answer":%[1]d}`,
	"model registry": `{"model":"resnet-%[1]d","type":"classifier","input":{"shape":[1,3,224]},"output":{"classes":1000},"description":"A network of %[1]d layers for pictures"}`,
	"answers":        `{"question":"How many legs have %[1]d spiders?","answer":"They have eight legs each, number %[1]d too","subject":"animals"}`,
	"jobs":           `{"time":"2026-03-01T10:00:00Z","task":"rotate the log files","agent":"runner-%[1]d","output":"%[1]d files were rotated and packed"}`,
	"web trace":      `{"traceId":"%[1]da","name":"GET /items","attributes":[{"key":"http.method","value":{"stringValue":"GET"}},{"key":"http.response.text","value":{"stringValue":"found %[1]d items of it"}}]}`,
	"members":        `{"team":"t%[1]d","members":{"ann":{"role":"user","note":"Comes on Mondays, and number %[1]d"},"bob":{"role":"system","note":"Reads the mail of the team"}}}`,
	"commits":        `{"commit":{"author":"Person %[1]d","message":"Fix the build on number %[1]d"},"sha":"abc%[1]d"}`,
	"prompts":        `{"name":"summary-%[1]d","prompt":"Write a summary of the text in %[1]d words","temperature":0.2,"model":"gpt-4o"}`,
}

// ordinaryWords lists the random words for a template, from its second parameter on.
var ordinaryWords = [][]string{
	{"GET", "POST"}, {"info", "warn", "error"}, {"User", "Bot", "Organization"}, {"Create", "Delete", "List"}, {"admin", "user", "viewer"},
	{"Normal", "Warning"}, {"success", "failed", "pending"}, {"debit", "credit"}, {"CLIENT", "SERVER"}, {"run", "output", "pass"},
}

// TestOrdinaryFilesAreNoConversations reads a hundred logs, configurations and data
// sets, as lines, as a list, inside of a document and inside of envelopes.
func TestOrdinaryFilesAreNoConversations(t *testing.T) {
	for name, template := range ordinary {
		r := rand.New(rand.NewPCG(uint64(len(template)), 7))
		var lines []string
		for i := range 24 {
			args := []any{i + 1}
			for _, words := range ordinaryWords {
				args = append(args, words[r.IntN(len(words))])
			}
			line := fmt.Sprintf(template, args...)
			line, _, _ = strings.Cut(line, "%!(EXTRA")
			lines = append(lines, line)
		}
		list := "[" + strings.Join(lines, ",") + "]"
		var wrapped []string
		for i, l := range lines {
			wrapped = append(wrapped, fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:%02dZ","data":%s}`, i, l))
		}
		for shape, s := range map[string]*model.Sample{
			"lines":    sampleOf("x.jsonl", []byte(strings.Join(lines, "\n"))),
			"list":     sampleOf("x.json", []byte(list)),
			"document": sampleOf("x.json", []byte(`{"version":3,"items":`+list+`,"total":24}`)),
			"wrapped":  sampleOf("x.jsonl", []byte(strings.Join(wrapped, "\n"))),
		} {
			if f, m := Detect(s); f.Name != "records" && f.Name != "otel" {
				t.Errorf("%s as %s is read as %s: %s", name, shape, f.Name, m.Reason)
			}
		}
	}
}
