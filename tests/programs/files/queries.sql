create table player(id integer primary key, name text unique);
create table score(player integer references player, round integer, points real);
insert into player(name) values('ada'), ('grace'), ('linus'), ('it''s');
insert into score select p.id, r.value, (p.id * 7 + r.value * 13) % 11 / 3.0
	from player p, json_each('[1,2,3,4,5,6,7,8]') r;
select name, count(*) n, sum(points) total, group_concat(round, '-') rounds
	from player join score on player.id = score.player group by name order by total desc;
select player, round, points, rank() over (partition by round order by points desc, player) place,
	sum(points) over (partition by player order by round) running
	from score where round < 4 order by round, place;
with recursive fib(a, b) as (values(0, 1) union all select b, a + b from fib where b < 1e15)
	select max(a), count(*) from fib;
select upper(name), length(name), hex(name), instr(name, 'a'), name glob '*s' from player;
select strftime('%Y-%m-%d', 1e9, 'unixepoch'), julianday('2024-02-29'), abs(-5), round(2.567, 1),
	typeof(1 / 2), 7 / 2, 7 % -3, 7.0 / 2, cast('12abc' as integer), 9223372036854775807 + 1;
explain query plan select * from player where name = 'ada';
