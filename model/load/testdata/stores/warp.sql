-- .local/state/warp-terminal/warp.sqlite
create table agent_conversations(id integer primary key, conversation_id text not null, conversation_data text not null, last_modified_at timestamp not null);
create table ai_queries(id integer primary key, exchange_id text not null, conversation_id text not null, start_ts datetime not null, input text not null, working_directory text, output_status text not null, model_id text not null);
insert into agent_conversations values(1,'conv-1','{"conversation_usage_metadata":{"token_usage":[{"model_id":"auto","warp_tokens":900,"byok_tokens":0}],"tool_usage_metadata":{"run_command_stats":{"count":2}}}}','2026-10-03 04:00:09.000000');
insert into ai_queries values
 (1,'ex-1','conv-1','2026-10-03 04:00:00.123456','[{"Query":{"text":"Why does the build fail?","context":[]}}]','/src/app','"Completed"','auto-genius'),
 (2,'ex-2','conv-1','2026-10-03 04:00:05.000000','[]','/src/app','"Completed"','auto-genius');
-- later
insert into ai_queries values(3,'ex-3','conv-1','2026-10-03 04:01:00.000000','[{"Query":{"text":"Fix it","context":[]}}]','/src/app','"Failed"','auto-genius');
