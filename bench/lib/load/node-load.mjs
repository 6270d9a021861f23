// Load generator that runs as a separate process, for machines without wrk. To leave more processor time for the
// measured server, the generator sends the same bytes on every connection and reads only the status and length of a
// response. Usage: node node-load.mjs URL CONNECTIONS SECONDS
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
const TIMEOUT_MS = 10_000;
const RETRY_PAUSE_MS = 10;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

const figures = { accepted: 0, refused: 0, lost: 0, latencies: [] };
const sockets = new Set();
let isOver = false;

/** Opens a connection and sends requests one after another, until the connection closes and is replaced by a new connection. */
function open() {
  if (isOver) return;
  let sentAt = null;
  let received = '';
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  sockets.add(socket);
  socket.setEncoding('latin1').setTimeout(TIMEOUT_MS, () => socket.destroy());
  const send = () => {
    sentAt = performance.now();
    socket.write(REQUEST);
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    received = received === '' ? chunk : received + chunk;
    const response = readResponse(received);
    if (response === null || isOver) return;
    received = '';
    figures.latencies.push(performance.now() - sentAt);
    if (response.status >= 200 && response.status < 300) figures.accepted += 1;
    else figures.refused += 1;
    sentAt = null;
    if (response.isLast) socket.end();
    else send();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    if (isOver) return;
    const wasRefused = socket.connecting || socket.bytesRead + socket.bytesWritten === 0;
    if (sentAt !== null || wasRefused) figures.lost += 1;
    setTimeout(open, wasRefused ? RETRY_PAUSE_MS : 0);
  });
}

/**
 * Finds the end of a response by its Content-Length or its last chunk (RFC 9112, 6.3). Returns null if the response is
 * incomplete.
 */
function readResponse(text) {
  const end = text.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = text.slice(0, end);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  const bodyLength = text.length - end - HEAD_END.length;
  if (length === undefined ? !text.endsWith(LAST_CHUNK) : bodyLength < Number(length)) return null;
  return { status: Number(head.slice(9, 12)), isLast: /\r\nconnection: close/i.test(head) };
}

const startedAt = performance.now();
for (let count = 0; count < Number(connections); count += 1) open();
setTimeout(() => {
  isOver = true;
  const { latencies, ...counts } = figures;
  const duration = (performance.now() - startedAt) / 1_000;
  const sorted = Float64Array.from(latencies).sort();
  const percentile = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
  console.log(`BENCH ${JSON.stringify({ ...counts, seconds: duration, p50: percentile(0.5), p99: percentile(0.99) })}`);
  for (const socket of sockets) socket.destroy();
}, Number(seconds) * 1_000);
