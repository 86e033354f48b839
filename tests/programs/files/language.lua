local function queens(n)
	local columns, up, down, count = {}, {}, {}, 0
	local function place(row)
		if row > n then count = count + 1 return end
		for c = 1, n do
			if not (columns[c] or up[row + c] or down[row - c]) then
				columns[c], up[row + c], down[row - c] = true, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c] = nil, nil, nil
			end
		end
	end
	place(1)
	return count
end
print("queens", queens(7))

local words = {}
for line in io.lines("text") do
	for w in line:gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
end
local keys = {}
for w in pairs(words) do keys[#keys + 1] = w end
table.sort(keys, function(a, b) return words[a] > words[b] or words[a] == words[b] and a < b end)
for i = 1, 10 do print(keys[i], words[keys[i]]) end

print(7 // 2, -7 // 2, 7 % -3, 7.5 // 2, 2 ^ 0.5, 1 << 62, ~0, 5 // 0.0, 0x7fffffffffffffff + 1)
print(string.format("%q %5.2f %-8s| %x %a", "a\nb", math.pi, "left", 255, 0.1))
print(math.tointeger(3.0), 1e15, 1e100, 2^53 + 1, 0.1 + 0.2, -0.0, math.maxinteger)
print(string.pack(">i4 d z", 7, 1.5, "hi"):byte(1, -1))

local generate = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i * i) end end)
print(generate(), generate(), generate())
print(pcall(error, { code = 7 }), select("#", table.unpack({ 1, nil, 3 }, 1, 3)))
local meta = setmetatable({}, { __index = function(_, k) return k .. "!" end, __add = function() return 42 end })
print(meta.hello, meta + 1)
print(utf8.char(233, 8364, 128512), utf8.len("né€"), ("x"):rep(3, ","))
os.exit(9)
