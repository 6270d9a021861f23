// The load generator where there is no wrk, as a process of its own: it writes the same bytes to every connection, and reads of
// an answer no more than its status and its length, so that little of the processors is missing for what is measured.
// Usage: node node-load.mjs URL CONNECTIONS SECONDS
import { connect } from 'node:net';

const [address, connections, seconds] = process.argv.slice(2);
const { hostname, port, pathname, search, host } = new URL(address);
const { BENCH_BODY: body, BENCH_KEY: key } = process.env;
const REQUEST = Buffer.from(
  key === ''
    ? `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    : `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
        `authorization: Bearer ${key}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
/** A request without an answer is given up after so many milliseconds. */
const PATIENCE_MS = 10_000;
/** A connection that was refused is tried again so many milliseconds later. */
const PAUSE_MS = 10;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

const figures = { accepted: 0, refused: 0, lost: 0, latencies: [] };
const sockets = new Set();
let over = false;

/** Sends one request after the other, and opens another connection when this one ends. */
function open() {
  if (over) return;
  let sentAt = null;
  let received = '';
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  sockets.add(socket);
  socket.setEncoding('latin1').setTimeout(PATIENCE_MS, () => socket.destroy());
  const send = () => {
    sentAt = performance.now();
    socket.write(REQUEST);
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    received = received === '' ? chunk : received + chunk;
    const answer = readAnswer(received);
    if (answer === null || over) return;
    received = '';
    figures.latencies.push(performance.now() - sentAt);
    if (answer.status >= 200 && answer.status < 300) figures.accepted += 1;
    else figures.refused += 1;
    sentAt = null;
    if (answer.isLast) socket.end();
    else send();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    if (over) return;
    const wasRefused = socket.connecting || socket.bytesRead + socket.bytesWritten === 0;
    if (sentAt !== null || wasRefused) figures.lost += 1;
    setTimeout(open, wasRefused ? PAUSE_MS : 0);
  });
}

/** Reads an answer once it is whole, by its length or its last chunk (RFC 9112, 6.3); null before. */
function readAnswer(text) {
  const end = text.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = text.slice(0, end);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  const rest = text.length - end - HEAD_END.length;
  if (length === undefined ? !text.endsWith(LAST_CHUNK) : rest < Number(length)) return null;
  return { status: Number(head.slice(9, 12)), isLast: /\r\nconnection: close/i.test(head) };
}

const startedAt = performance.now();
for (let count = 0; count < Number(connections); count += 1) open();
setTimeout(() => {
  over = true;
  const { latencies, ...counts } = figures;
  const duration = (performance.now() - startedAt) / 1_000;
  const sorted = Float64Array.from(latencies).sort();
  const percentile = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
  console.log(`BENCH ${JSON.stringify({ ...counts, seconds: duration, p50: percentile(0.5), p99: percentile(0.99) })}`);
  for (const socket of sockets) socket.destroy();
}, Number(seconds) * 1_000);
