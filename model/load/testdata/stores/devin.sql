-- .local/share/devin/cli/sessions.db
create table sessions(id text primary key, working_directory text, model text, agent_mode text, created_at integer, last_activity_at integer, title text, main_chain_id integer, hidden integer default 0);
create table message_nodes(row_id integer primary key, session_id text, node_id integer, parent_node_id integer, chat_message text, created_at integer, metadata text, unique(session_id, node_id));
create table tool_call_state(session_id text, tool_call_id text, tool_call_json text, tool_call_update_json text, primary key(session_id, tool_call_id));
insert into sessions values('calm-fox','/src/app','adaptive','code',1790000000,1790000100,'Fix the lock',12,0);
insert into message_nodes values
 (1,'calm-fox',1,null,'{"message_id":"s","role":"system","content":"You are an agent.","metadata":{"created_at":"2026-09-21T10:00:00Z"}}',1790000000,null),
 (2,'calm-fox',2,1,'{"message_id":"u","role":"user","content":"Fix the lock","metadata":{"created_at":"2026-09-21T10:00:01Z","is_user_input":true}}',1790000001,null),
 (3,'calm-fox',3,2,'{"message_id":"a","role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","name":"exec","arguments":{"command":"ls"}}],"metadata":{"created_at":"2026-09-21T10:00:02Z","generation_model":"claude-opus-5","metrics":{"input_tokens":10,"output_tokens":5,"cache_read_tokens":20}}}',1790000002,null),
 (4,'calm-fox',4,3,'{"message_id":"t","role":"tool","tool_call_id":"call_1","content":"denied","metadata":{"created_at":"2026-09-21T10:00:03Z","extensions":{"chisel/tool_failure":{"reason":"ValidationError"}}}}',1790000003,null),
 (5,'calm-fox',5,null,'{"message_id":"x1","role":"system","content":"You summarise.","metadata":{"created_at":"2026-09-21T10:00:04Z"}}',1790000004,null),
 (6,'calm-fox',6,5,'{"message_id":"x2","role":"user","content":"Conversation to summarise","metadata":{"created_at":"2026-09-21T10:00:04Z"}}',1790000004,null),
 (7,'calm-fox',7,6,'{"message_id":"x3","role":"assistant","content":"A lock was looked at.","metadata":{"created_at":"2026-09-21T10:00:05Z","metrics":{"input_tokens":100,"output_tokens":50}}}',1790000005,null),
 (8,'calm-fox',8,null,'{"message_id":"s","role":"system","content":"You are an agent.","metadata":{"created_at":"2026-09-21T10:00:00Z"}}',1790000006,null),
 (9,'calm-fox',9,8,'{"message_id":"t","role":"tool","tool_call_id":"call_1","content":"denied","metadata":{"created_at":"2026-09-21T10:00:03Z","extensions":{"chisel/tool_failure":{"reason":"ValidationError"}}}}',1790000006,null),
 (10,'calm-fox',10,null,'{"message_id":"g1","role":"system","content":"You are a subagent.","metadata":{"created_at":"2026-09-21T10:00:07Z","telemetry":{"operation":"subagent_explore"}}}',1790000007,null),
 (11,'calm-fox',11,10,'{"message_id":"g2","role":"assistant","content":"It is in idle.go","metadata":{"created_at":"2026-09-21T10:00:08Z","generation_model":"claude-opus-5"}}',1790000008,null),
 (12,'calm-fox',12,9,'{"message_id":"b","role":"assistant","content":"Done.","metadata":{"created_at":"2026-09-21T10:00:09Z","generation_model":"claude-opus-5","metrics":{"input_tokens":3,"output_tokens":2,"cache_read_tokens":40},"extensions":{"subagent/agent_id":"a1","subagent/chain_node_id":11}}}',1790000009,null);
insert into tool_call_state values('calm-fox','call_1','{}','{"status":"failed"}');
-- later
insert into message_nodes values(13,'calm-fox',13,12,'{"message_id":"u2","role":"user","content":"And the docs","metadata":{"created_at":"2026-09-21T10:01:00Z","is_user_input":true}}',1790000060,null);
-- later
insert into sessions values('plum-fox','/src/app','adaptive','code',1790000200,1790000300,'Fix the lock (fork)',4,0);
insert into message_nodes select row_id+100,'plum-fox',node_id,parent_node_id,replace(chat_message,'denied','Exit code 1'),created_at+200,metadata from message_nodes where session_id='calm-fox' and node_id<=4;
