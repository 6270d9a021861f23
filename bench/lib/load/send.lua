-- Script for wrk that sends the same request to every measured server, and prints the figures as one line of JSON.
local key = os.getenv('BENCH_KEY')
if key ~= '' then
  wrk.method = 'POST'
  wrk.headers['content-type'] = 'application/json'
  wrk.headers['authorization'] = 'Bearer ' .. key
  wrk.body = os.getenv('BENCH_BODY')
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'BENCH {"accepted":%d,"seconds":%.6f,"lost":%d,"refused":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests - errors.status, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
