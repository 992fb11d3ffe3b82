-- .gemini/antigravity-cli/conversations/3f1c.db
create table trajectory_meta(trajectory_id text primary key, cascade_id text);
create table steps(idx integer primary key, step_type integer, status integer, step_payload blob);
create table gen_metadata(idx integer primary key, data blob);
create table trajectory_metadata_blob(id text primary key, data blob);
create table parent_references(idx integer primary key, data blob);
insert into parent_references values(0,x'0a02743010032802320462617365'),(1,x'0a02743110002804320433663163');
insert into trajectory_meta values('t1','3f1c');
insert into trajectory_metadata_blob values('main',x'0a110a0f66696c653a2f2f2f7372632f61707012060880f7c4d506');
insert into gen_metadata values(0,x'0a139a011067656d696e692d332e382d666c617368');
insert into steps values
 (0,14,3,x'080e2a080a060880f7c4d5069a01121a100a0e4c697374207468652066696c6573'),
 (1,15,3,x'080f2a100a060881f7c4d5064a06100a18052814a201381a094920757365206c732e3a2b0a0663616c6c5f31120b72756e5f636f6d6d616e641a147b22436f6d6d616e644c696e65223a226c73227d'),
 (2,132,7,x'0884012a350a060882f7c4d506222b0a0663616c6c5f31120b72756e5f636f6d6d616e641a147b22436f6d6d616e644c696e65223a226c73227dfa01180a066661696c65641a0e6e6f207375636820666f6c646572'),
 (3,101,3,x'08652a080a060883f7c4d50692070a0a0841206e6f74696365');
-- later
insert into steps values(4,15,3,x'080f2a100a060884f7c4d5064a0610031802281ea201100a0e5468657265206973206e6f6e652e');
