-- .local/share/opencode/opencode.db
create table session(id text primary key, parent_id text, directory text, title text, version text, time_created integer, time_updated integer);
create table message(id text primary key, session_id text, time_created integer, time_updated integer, data text);
create table part(id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text);
create table session_v2(id text primary key, parent_id text, fork_session_id text, slug text, directory text, title text, version text, agent text, model text, revert text, time_created integer, time_updated integer);
create table session_message(id text primary key, session_id text, type text, seq integer, time_created integer, time_updated integer, data text);
insert into session values('ses_moved',null,'/src/app','Moved','1.18.2',1780000000000,1780000000000),('ses_old',null,'/src/app','Only old','1.18.2',1770000000000,1770000000000);
insert into message values('msg_a','ses_moved',1780000000000,1,'{"role":"user","time":{"created":1780000000000}}'),('msg_b','ses_old',1770000000000,1,'{"role":"user","time":{"created":1770000000000}}'),('msg_c','ses_old',1770000001000,1,'{"role":"assistant","modelID":"claude-sonnet-4-5","tokens":{"input":7,"output":3,"reasoning":0,"cache":{"read":0,"write":0}},"time":{"created":1770000001000}}');
insert into part values('prt_a','msg_a','ses_moved',1,1,'{"type":"text","text":"The frozen half"}'),('prt_b','msg_b','ses_old',1,1,'{"type":"text","text":"What was here before?"}'),('prt_c','msg_c','ses_old',1,1,'{"type":"text","text":"Version 1."}');
insert into session_v2 values('ses_moved',null,null,'brave','/src/app','Moved','2.0.3','build','{"id":"claude-opus-5","providerID":"anthropic"}',null,1780000000000,1780000000000);
insert into session_message values
 ('msg_9','ses_moved','user',1,1780000000000,1,'{"text":"Run the tests","files":[]}'),
 ('msg_1','ses_moved','assistant',2,1780000001000,1,'{"model":{"id":"claude-opus-5"},"finish":"tool-calls","tokens":{"input":10,"output":20,"reasoning":0,"cache":{"read":30,"write":0}},"content":[{"type":"text","text":"I run them."},{"type":"tool","id":"toolu_1","name":"shell","state":{"status":"completed","input":{"command":"go test"},"content":[{"type":"text","text":"FAIL"}],"structured":{"exit":1}},"time":{"ran":1780000001000,"completed":1780000003000}}]}'),
 ('msg_5','ses_moved','synthetic',3,1780000004000,1,'{"text":"A reminder of the program"}');
-- later
insert into session_message values('msg_0','ses_moved','assistant',4,1780000005000,1,'{"model":{"id":"claude-opus-5"},"content":[{"type":"tool","id":"toolu_2","name":"read","state":{"status":"running","input":{"path":"a.go"}}}]}');
-- later
update session_message set time_updated=2, data='{"model":{"id":"claude-opus-5"},"finish":"stop","tokens":{"input":1,"output":2,"reasoning":0,"cache":{"read":3,"write":0}},"content":[{"type":"tool","id":"toolu_2","name":"read","state":{"status":"completed","input":{"path":"a.go"},"content":[{"type":"text","text":"package a"}]}},{"type":"text","text":"A test is missing."}]}' where id='msg_0';
insert into session_message values('msg_3','ses_moved','assistant',5,1780000006000,1,'{"model":{"id":"claude-opus-5"},"finish":"stop","content":[{"type":"tool","id":"toolu_3","name":"execute","state":{"status":"completed","input":{"code":"return await tools.tracker.get({id: 7})"},"content":[{"type":"text","text":"no such issue"}],"structured":{"error":true,"toolCalls":[{"tool":"tracker.list","status":"completed","input":{}},{"tool":"tracker.get","status":"error","input":{"id":7}}]}},"time":{"ran":1780000006000,"completed":1780000006400}}]}');
