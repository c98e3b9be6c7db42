-- What is parked, in the order in which it happened: to list it and to send it again in parts without looking at all that was delivered.
drop index longhaul.webhook_delivery_parked;
create index webhook_delivery_parked on longhaul.webhook_delivery (webhook_id, at, id) where state = 2;

insert into longhaul.schema_version (version, description) values (9, 'parked deliveries');
