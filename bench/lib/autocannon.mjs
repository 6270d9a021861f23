// The load generator where there is no wrk, as a process of its own.
// Usage: node autocannon.mjs URL CONNECTIONS SECONDS
import autocannon from 'autocannon';

const [url, connections, seconds] = process.argv.slice(2);
/** A connection that the server just ends, autocannon opens anew without a word: the request on it is counted here. */
let abandoned = 0;
const watch = (client) => {
  let isOpen = false;
  client.on('request', () => {
    if (isOpen) abandoned += 1;
    isOpen = true;
  });
  client.on('response', () => {
    isOpen = false;
  });
};

const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.BENCH_KEY}` },
  body: process.env.BENCH_BODY,
  setupClient: watch,
});
console.log(
  `BENCH ${JSON.stringify({
    accepted: result.requests.total - result.non2xx,
    seconds: result.duration,
    // Timeouts are among the errors.
    lost: Math.max(result.errors, abandoned),
    refused: result.non2xx,
    p50: result.latency.p50,
    p99: result.latency.p99,
  })}`,
);
