-- .config/io.datasette.llm/logs.db
create table conversations(id text primary key, name text, model text);
create table responses(id text primary key, model text, prompt text, system text, response text, conversation_id text, datetime_utc text, input_tokens integer, output_tokens integer, token_details text, reasoning text);
create table tool_calls(id integer primary key, response_id text, name text, arguments text, tool_call_id text);
create table tool_results(id integer primary key, response_id text, name text, output text, tool_call_id text, exception text);
create table messages(hash text primary key, parent_hash text, role text);
create table parts(id integer primary key, message_hash text, position integer, type text, text text, payload text);
create table threads(id text primary key, name text, tip_message_hash text, forked_from text, datetime_utc text);
create table turns(id text primary key, thread_id text, parent_message_hash text, tip_message_hash text, model text, input_tokens integer, output_tokens integer, token_details text, datetime_utc text);
insert into conversations values('01old','What time is it?','gpt-5.5');
insert into responses values('01a','gpt-5.5','What time is it?','Be brief.','','01old','2026-07-01T10:00:00+00:00',10,5,null,null),('01b','gpt-5.5','','','Ten.','01old','2026-07-01T10:00:02+00:00',20,3,'{"cached":8}',null);
insert into tool_calls values(1,'01a','clock','{}','call_1');
insert into tool_results values(1,'01b','clock','10:00','call_1',null);
insert into messages values('b2:1',null,'user'),('b2:2','b2:1','assistant'),('b2:3','b2:2','user'),('b2:4','b2:3','assistant');
insert into parts values(1,'b2:1',0,'text','Count the files',null),(2,'b2:2',0,'reasoning','I count.',null),(3,'b2:2',1,'tool_call',null,'{"name":"ls","arguments":{"path":"."},"tool_call_id":"call_2"}'),(4,'b2:3',0,'tool_result',null,'{"name":"ls","output":"","tool_call_id":"call_2","exception":"OSError: no"}'),(5,'b2:4',0,'text','I cannot.',null),(7,'b2:4',1,'attachment',null,'{"type":"image/png","path":"/a.png"}');
insert into threads values('02new','Count the files','b2:4',null,'2026-09-01T10:00:00+00:00'),('03fork','Again','b2:2','02new','2026-09-01T11:00:00+00:00');
insert into turns values('02t1','02new',null,'b2:2','gpt-5.5',100,10,null,'2026-09-01T10:00:01+00:00'),('02t2','02new','b2:2','b2:4','gpt-5.5',120,12,null,'2026-09-01T10:00:03+00:00');
-- later
insert into messages values('b2:5','b2:4','user');
insert into parts values(6,'b2:5',0,'text','Why?',null);
update threads set tip_message_hash='b2:5' where id='02new';
