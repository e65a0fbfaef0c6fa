-- wrk --script post.lua <url> -- <name>=<value> …
-- type: content type; body: file with one body
-- bodies, paths: files with one in a line, which go in turn and together
-- other, percent: file with another body for so many percent of the requests
local given = {}

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function lines(path)
  local all = {}
  for line in io.lines(path) do all[#all + 1] = line end
  return all
end

-- Each run begins elsewhere, so that short ones also reach the last request.
local function inTurn(paths, bodies)
  local requests = {}
  for i = 1, math.max(#paths, #bodies) do
    requests[i] = wrk.format(nil, paths[(i - 1) % #paths + 1], nil, bodies[(i - 1) % #bodies + 1])
  end
  math.randomseed(os.time())
  local turn = math.random(#requests)
  function request()
    turn = turn % #requests + 1
    return requests[turn]
  end
end

-- The other body comes as often as its part says, evenly.
local function mix(other, percent)
  local usual, sum = wrk.format(), 0
  other = wrk.format(nil, nil, nil, other)
  function request()
    sum = sum + percent
    if sum < 100 then return usual end
    sum = sum - 100
    return other
  end
end

function init(args)
  for _, arg in ipairs(args) do
    local name, value = arg:match("^(%w+)=(.*)$")
    given[name] = value
  end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = given.type
  if given.body then wrk.body = read(given.body) end
  if given.other then
    mix(read(given.other), tonumber(given.percent))
  elseif given.bodies or given.paths then
    local paths = given.paths and lines(given.paths) or { wrk.path }
    inTurn(paths, given.bodies and lines(given.bodies) or { wrk.body })
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"seconds":%.6f,"answers":%d,"refused":%d,"broken":%d,"p50":%.3f,"p99":%.3f,"max":%.3f}\n',
    summary.duration / 1e6, summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3
  ))
end
