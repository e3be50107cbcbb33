/**
 * The atomic operations of the live store, each on one key unless `keysOf` says otherwise. Stored
 * and returned numbers stay strings, because Lua prints large numbers with an exponent.
 */
const readLock = `
  local function read()
    local f = redis.call('HMGET', KEYS[1], 'sid', 'fence', 'playlistId', 'acquiredAt', 'heardAt', 'expiresAt', 'reset')
    return f[1] and f or nil
  end
  local function later(a, b)
    if tonumber(a) > tonumber(b) then return a end
    return b
  end
`

export const scripts = {
  // sid, fence, playlistId, now, expiresAt, expiry of the key, takeover, reset
  acquireLock: `${readLock}
    local sid, now, expires = ARGV[1], ARGV[4], ARGV[5]
    local lock = read()
    if lock and tonumber(lock[6]) <= tonumber(now) then lock = nil end
    local own = lock and lock[1] == sid
    if lock and not own and (ARGV[7] ~= '1' or tonumber(ARGV[2]) < tonumber(lock[2])) then return {0, lock} end
    local fence, acquired, heard = ARGV[2], now, now
    if own then
      fence, acquired, heard, expires = lock[2], lock[4], later(lock[5], now), later(lock[6], expires)
    end
    redis.call('HSET', KEYS[1], 'sid', sid, 'fence', fence, 'playlistId', ARGV[3],
      'acquiredAt', acquired, 'heardAt', heard, 'expiresAt', expires, 'reset', ARGV[8])
    redis.call('PEXPIRE', KEYS[1], ARGV[6])
    if lock and not own then return {1, read(), lock} end
    return {1, read()}
  `,

  // sid, now, expiresAt, expiry of the key, whether the playlist matters, playlistId
  renewLock: `${readLock}
    local lock = read()
    if not lock or lock[1] ~= ARGV[1] or tonumber(lock[6]) <= tonumber(ARGV[2]) then return nil end
    if ARGV[5] == '1' and lock[3] ~= ARGV[6] then return nil end
    redis.call('HSET', KEYS[1], 'heardAt', later(lock[5], ARGV[2]), 'expiresAt', later(lock[6], ARGV[3]))
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
    return read()
  `,

  // sid
  releaseLock: `${readLock}
    local lock = read()
    if not lock or lock[1] ~= ARGV[1] then return nil end
    redis.call('DEL', KEYS[1])
    return lock
  `,

  // sid; returns the last activity of the remaining sessions
  removeSession: `
    for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
      if string.sub(member, 1, #ARGV[1] + 1) == ARGV[1] .. '|' then redis.call('ZREM', KEYS[1], member) end
    end
    return redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  `,

  // keys: online, arrived, left; personId, last activity (empty: no session left), expiry of the
  // keys
  moveOnline: `
    if ARGV[2] == '' then
      if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then
        redis.call('SREM', KEYS[2], ARGV[1])
        redis.call('SADD', KEYS[3], ARGV[1])
        redis.call('PEXPIRE', KEYS[3], ARGV[3])
      end
      return 1
    end
    redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
    return redis.call('PEXPIRE', KEYS[1], ARGV[3])
  `,

  // keys: online, arrived, left; active period, oldest kept activity, expiry of the keys, then
  // pairs of last activity and personId
  reportOnline: `
    local arrived = false
    for i = 4, #ARGV, 2 do
      local at, person = ARGV[i], ARGV[i + 1]
      local before = redis.call('ZSCORE', KEYS[1], person)
      if not before or tonumber(before) < tonumber(at) - tonumber(ARGV[1]) then
        redis.call('SREM', KEYS[3], person)
        redis.call('SADD', KEYS[2], person)
        arrived = true
      end
      redis.call('ZADD', KEYS[1], 'GT', at, person)
    end
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[2])
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    if arrived then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
    return 1
  `,

  // keys: online, arrived, left; people with an earlier activity have left, limit of each kind
  claimChanges: `
    local arrived = redis.call('SPOP', KEYS[2], ARGV[2])
    local left = redis.call('SPOP', KEYS[3], ARGV[2])
    local silent = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2] - #left)
    for _, person in ipairs(silent) do
      redis.call('ZREM', KEYS[1], person)
      left[#left + 1] = person
    end
    return {arrived, left}
  `,

  // sid, until, end of entries to delete, expiry of the key
  revoke: `
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
    redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
    return 1
  `,

  // expiry of the key
  readSharedVersion: `
    local time = redis.call('TIME')
    redis.call('SET', KEYS[1], string.format('%.0f', time[1] * 1000000 + time[2]), 'PX', ARGV[1], 'NX')
    return redis.call('GET', KEYS[1])
  `,

  // now, end of a window that begins now, expiry of the key
  countHit: `
    local resets = redis.call('HGET', KEYS[1], 'resetsAt')
    if not resets or tonumber(resets) <= tonumber(ARGV[1]) then
      redis.call('HSET', KEYS[1], 'count', 0, 'resetsAt', ARGV[2])
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
      resets = ARGV[2]
    end
    return {redis.call('HINCRBY', KEYS[1], 'count', 1), resets}
  `,

  // The same as `countAttempt` of growing-wait.ts.
  countAttempt: `
    local now, free, first = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    local longest, resetAfterMs = tonumber(ARGV[4]), tonumber(ARGV[5])
    local count = tonumber(redis.call('HGET', KEYS[1], 'count') or 0)
    local latest = tonumber(redis.call('HGET', KEYS[1], 'latestAt') or 0)
    local nextAt = tonumber(redis.call('HGET', KEYS[1], 'nextAt') or 0)
    if nextAt > now then return nextAt - now end
    if now - latest >= resetAfterMs then count = 0 end
    count = count + 1
    local wait = 0
    if count >= free then wait = math.min(longest, first * 2 ^ (count - free)) end
    redis.call('HSET', KEYS[1], 'count', count, 'latestAt', now, 'nextAt', now + wait)
    redis.call('PEXPIRE', KEYS[1], 2 * (longest + resetAfterMs))
    return 0
  `,
} as const

/** Scripts with more than one key, all of one hash tag. */
export const keysOf: Partial<Record<keyof Scripts, number>> = { moveOnline: 3, reportOnline: 3, claimChanges: 3 }

export type Scripts = typeof scripts
