"""What Python can do without threads or other processes."""
import array
import base64
import bisect
import collections
import csv
import dataclasses
import datetime
import functools
import heapq
import io
import itertools
import pickle
import random
import re
import sqlite3
import statistics
import struct
import sys
import zlib


@functools.lru_cache(maxsize=None)
def ways(n, coins=(1, 2, 5, 10, 20, 50, 100, 200)):
    if n < 0 or not coins:
        return 0
    return 1 if n == 0 else ways(n - coins[-1], coins) + ways(n, coins[:-1])


@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: float = 0.5


rng = random.Random(42)
values = [rng.gauss(0, 1) for _ in range(500)]
print(ways(200), Point(1) < Point(1, 0.75), statistics.mean(values), statistics.stdev(values))
words = re.findall(r"\b[a-z]{4}\b", open("text").read())
print(collections.Counter(words).most_common(5), heapq.nsmallest(3, values))
print(struct.pack(">hIqdf", -2, 7, -3, 0.1, 1e10).hex(), array.array("d", values[:3]).tobytes().hex())
blob = pickle.dumps({"k": [1, 2.5, Point(3)], "s": {1, 2}})
print(len(blob), zlib.crc32(blob), zlib.adler32(blob), zlib.decompress(zlib.compress(blob, 9)) == blob)
print(base64.b85encode(bytes(range(40))).decode(), bisect.bisect(sorted(values), 0))
print(datetime.datetime(2024, 2, 29, 12) + datetime.timedelta(days=366, microseconds=5))
print(["".join(p) for p in itertools.islice(itertools.permutations("abcd"), 5)])
db = sqlite3.connect(":memory:")
db.execute("create table t(a integer primary key, b real)")
db.executemany("insert into t(b) values(?)", [(v,) for v in values])
print(db.execute("select count(*), sum(b), max(a) from t where b > 0").fetchone())
out = io.StringIO()
csv.writer(out).writerows([["a,b", 'q"q'], [1, 2.5]])
print(repr(out.getvalue()), sys.byteorder, sys.maxsize, 7 ** 123 % 10 ** 9, -7 // 2, round(2.5), 1e22)
try:
    [].pop()
except IndexError as error:
    print(type(error).__name__, error)
sys.exit(4)
