// The load generator where there is no wrk, as a process of its own.
// Usage: node autocannon.mjs URL CONNECTIONS SECONDS
import autocannon from 'autocannon';

const [url, connections, seconds] = process.argv.slice(2);
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.BENCH_KEY}` },
  body: process.env.BENCH_BODY,
});
console.log(
  `BENCH ${JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    failed: result.errors + result.timeouts + result.non2xx,
    p50: result.latency.p50,
    p99: result.latency.p99,
  })}`,
);
