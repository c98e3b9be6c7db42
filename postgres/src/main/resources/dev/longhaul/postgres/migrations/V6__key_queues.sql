-- Keys of workers that may take jobs of some queues only; none named means all.
alter table longhaul.api_key add column queues text[] not null default '{}';
alter table longhaul.api_key add constraint api_key_queues check (role = 'worker' or queues = '{}');

insert into longhaul.schema_version (version, description) values (6, 'key_queues');
