-- 100 000 rows with an index on a file, then a check of the whole structure.
pragma journal_mode = delete;
create table item(id integer primary key, n integer, hash text, x real);
begin;
insert into item(n, hash, x)
	with recursive c(i) as (select 1 union all select i + 1 from c where i < 100000)
	select i * 7919 % 100003, printf('%08x', i * 2654435761 % 4294967296), i / 7.0 from c;
create index item_hash on item(hash);
create index item_n on item(n, x);
commit;
update item set x = x * 1.5 where n % 10 = 3;
delete from item where n between 500 and 1500;
select count(*), sum(n), round(total(x), 3), min(hash), max(hash) from item;
select n % 7 as k, count(*), avg(x) from item group by k order by k;
vacuum;
pragma integrity_check;
