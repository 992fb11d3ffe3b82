-- .omnigent/chat.db
create table conversations(id blob primary key, created_at integer, title text, parent_conversation_id blob, session_overrides text);
create table omnigent_conversation_metadata(id blob primary key, kind integer, sub_agent_name text, session_usage text, workspace text, git_branch text);
create table conversation_items(id blob primary key, conversation_id blob, created_at integer, position integer, type integer, data text);
insert into conversations values(x'0a000000000000000000000000000001',1790000000,'List the files',null,'{"model_override":"claude-opus-5"}');
insert into omnigent_conversation_metadata values(x'0a000000000000000000000000000001',1,null,'{"input_tokens":100,"output_tokens":20,"total_cost_usd":0.5}','/src/app','main');
insert into conversation_items values
 (x'01',x'0a000000000000000000000000000001',1790000001,1,1,'{"role":"user","content":[{"type":"input_text","text":"List the files"}]}'),
 (x'02',x'0a000000000000000000000000000001',1790000002,2,4,'{"summary":[{"type":"summary_text","text":"I use ls."}]}'),
 (x'04',x'0a000000000000000000000000000001',1790000004,4,3,'{"call_id":"toolu_1","output":"a.go"}'),
 (x'03',x'0a000000000000000000000000000001',1790000003,3,2,'{"name":"sys_os_shell","arguments":"{\"command\":\"ls\"}","call_id":"toolu_1"}'),
 (x'05',x'0a000000000000000000000000000001',1790000005,5,9,'{"router":"default"}'),
 (x'07',x'0a000000000000000000000000000001',1790000005,7,5,'{"source":"execution","code":"RuntimeError","message":"inner executor error: terminated"}');
-- later
insert into conversation_items values(x'06',x'0a000000000000000000000000000001',1790000006,6,1,'{"role":"assistant","model":"polly","content":[{"type":"output_text","text":"One file."}]}');
update omnigent_conversation_metadata set session_usage='{"input_tokens":150,"output_tokens":30,"total_cost_usd":0.6}';
