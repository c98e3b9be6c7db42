create table if not exists items (
    name  text primary key,
    stock integer not null check (stock >= 0)
);

create table if not exists orders (
    id        bigint generated always as identity primary key,
    item      text not null references items,
    email     text not null,
    placed_at timestamptz not null default now()
);

insert into items (name, stock) values ('teapot', 100), ('kettle', 0) on conflict do nothing;
