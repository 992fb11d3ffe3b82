-- .openclaw/agents/main/agent/openclaw-agent.sqlite
create table session_nodes(session_key text primary key, label text, display_name text);
create table session_windows(session_id text primary key, session_key text, previous_session_id text, reason text, created_at integer, model text, channel text, parent_session_key text, spawned_by text, display_name text);
create table transcript_events(session_id text, seq integer, event_json text, created_at integer, primary key(session_id, seq));
create table transcript_event_identities(session_id text, event_id text, seq integer, event_type text, parent_id text);
create table session_transcript_index_state(session_id text primary key, indexed_seq integer, leaf_event_id text, needs_rebuild integer);
create table session_transcript_active_events(session_id text, active_position integer, event_seq integer);
insert into session_nodes values('agent:main:main',null,'Chores');
insert into session_windows values('w1','agent:main:main',null,'initial',1790000000000,'claude-opus-5','telegram',null,null,null);
insert into transcript_events values
 ('w1',3,'{"type":"message","id":"e4","parentId":"e3","timestamp":"2026-09-21T10:00:04Z","message":{"role":"toolResult","toolCallId":"toolu_1","toolName":"exec","content":[{"type":"text","text":"a.go"}],"isError":false}}',4),
 ('w1',0,'{"type":"session","version":3,"id":"w1","timestamp":"2026-09-21T10:00:00Z","cwd":"/src/app"}',1),
 ('w1',1,'{"type":"message","id":"e2","parentId":null,"timestamp":"2026-09-21T10:00:01Z","message":{"role":"user","content":[{"type":"text","text":"List the files"}]}}',2),
 ('w1',2,'{"type":"message","id":"e3","parentId":"e2","timestamp":"2026-09-21T10:00:02Z","message":{"role":"assistant","model":"claude-opus-5","content":[{"type":"toolCall","id":"toolu_1","name":"exec","arguments":{"command":"ls"}}],"usage":{"input":10,"output":5,"cacheRead":20,"cacheWrite":0}}}',3),
 ('w1',4,'{"type":"message","id":"e5","parentId":"e4","timestamp":"2026-09-21T10:00:05Z","message":{"role":"user","content":[{"type":"text","text":"Dropped"}]}}',5),
 ('w1',5,'{"type":"message","id":"e6","parentId":"e4","timestamp":"2026-09-21T10:00:06Z","message":{"role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":"One file."}],"usage":{"input":4,"output":6,"cacheRead":30,"cacheWrite":0}}}',6);
insert into transcript_event_identities select session_id, json_extract(event_json,'$.id'), seq, json_extract(event_json,'$.type'), json_extract(event_json,'$.parentId') from transcript_events where seq > 0;
insert into session_transcript_index_state values('w1',5,'e6',0);
insert into session_transcript_active_events values('w1',0,0),('w1',1,1),('w1',2,2),('w1',3,3),('w1',4,5);
-- later
insert into transcript_events values('w1',6,'{"type":"message","id":"e7","parentId":"e6","timestamp":"2026-09-21T10:00:09Z","message":{"role":"user","content":[{"type":"text","text":"Thanks"}]}}',7);
