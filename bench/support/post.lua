-- wrk --script post.lua <url> -- <file with the body> <content type> [<file with paths, used in turn>]
-- wrk --script post.lua <url> -- <file with the body> <content type> mixed <file with another body> <percent of it>
function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method, wrk.body = "POST", file:read("*a")
  file:close()
  wrk.headers["Content-Type"] = args[2]
  if not args[3] then return end
  if args[3] == "mixed" then return mix(args[4], tonumber(args[5])) end

  local requests, turn = {}, 0
  for path in io.lines(args[3]) do requests[#requests + 1] = wrk.format(nil, path) end
  function request()
    turn = turn % #requests + 1
    return requests[turn]
  end
end

-- The other body comes as often as its part says, evenly.
function mix(path, percent)
  local file = assert(io.open(path, "rb"))
  local usual, other, sum = wrk.format(), wrk.format(nil, nil, nil, file:read("*a")), 0
  file:close()
  function request()
    sum = sum + percent
    if sum < 100 then return usual end
    sum = sum - 100
    return other
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
