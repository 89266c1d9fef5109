-- Takes one token of the bucket KEYS[1], which holds ARGV[1] and gains ARGV[2] a microsecond. By this server's clock.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local capacity = tonumber(ARGV[1])
local bucket = redis.call('HMGET', KEYS[1], 'level', 'at')
local level = capacity
if bucket[1] then
  level = math.min(capacity, tonumber(bucket[1]) + (now - tonumber(bucket[2])) * tonumber(ARGV[2]))
end
if level < 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'level', string.format('%.9f', level - 1), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 86400000)
return 1
