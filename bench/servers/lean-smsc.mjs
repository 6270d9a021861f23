// An SMSC for benchmarks that needs very little processor time. The SMSC supports only the part of SMPP 3.4 that the benchmarks
// need, accepts every submit immediately, and sends a receipt if the submit requests one. The script first prints its port, and
// then answers each line on standard input with the figures since the previous line, as JSON.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Values of command_id (SMPP 3.4, 5.1.2.1). */
const SUBMIT_SM = 0x00000004;
const DELIVER_SM = 0x00000005;
const UNBIND = 0x00000006;
const BINDS = new Set([0x00000001, 0x00000002, 0x00000009]);
const RESPONSE_BIT = 0x80000000;
const HEADER_OCTETS = 16;
const BIND_RESPONSE = Buffer.from('bench\0');
const EMPTY = Buffer.alloc(0);

/** `first` and `last` are the times of the first and the last submit, in milliseconds since 1970. */
const createFigures = () => ({ binds: 0, submits: 0, receipts: 0, refusedReceipts: 0, first: null, last: null });
let figures = createFigures();
let lastId = 0;

function encodePdu(command, sequence, body) {
  const octets = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  octets.writeUInt32BE(octets.length, 0);
  octets.writeUInt32BE(command, 4);
  octets.writeUInt32BE(0, 8);
  octets.writeUInt32BE(sequence, 12);
  body.copy(octets, HEADER_OCTETS);
  return octets;
}

/** Reads the fields of a submit_sm that are needed for a receipt (SMPP 3.4, 4.4.1). */
function readSubmit(body) {
  let offset = 0;
  const readText = () => {
    const start = offset;
    offset = body.indexOf(0, start) + 1;
    return body.toString('latin1', start, offset - 1);
  };
  readText(); // service_type
  offset += 2;
  const source = readText();
  offset += 2;
  const destination = readText();
  offset += 3; // esm_class, protocol_id, priority_flag
  readText(); // schedule_delivery_time
  readText(); // validity_period
  return { source, destination, wantsReceipt: (body[offset] & 3) !== 0 };
}

function encodeReceipt(sequence, id, { source, destination }) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:DELIVRD err:000 text:`;
  const head = `\0\x01\x01${destination}\0\x01\x01${source}\0\x04\0\0\0\0\0\0\0\0${String.fromCharCode(text.length)}`;
  return encodePdu(DELIVER_SM, sequence, Buffer.from(head + text, 'latin1'));
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = EMPTY;
  let lastSequence = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const octets = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const responses = [];
    let offset = 0;
    while (octets.length - offset >= HEADER_OCTETS) {
      const end = offset + octets.readUInt32BE(offset);
      if (end > octets.length) break;
      const [command, status, sequence] = [4, 8, 12].map((field) => octets.readUInt32BE(offset + field));
      const body = octets.subarray(offset + HEADER_OCTETS, end);
      offset = end;
      if (command === (DELIVER_SM | RESPONSE_BIT) >>> 0) {
        if (status === 0) figures.receipts += 1;
        else figures.refusedReceipts += 1;
        continue;
      }
      if (command >= RESPONSE_BIT) continue;
      if (command === SUBMIT_SM) {
        const id = String(++lastId);
        figures.submits += 1;
        figures.last = performance.timeOrigin + performance.now();
        figures.first ??= figures.last;
        responses.push(encodePdu((SUBMIT_SM | RESPONSE_BIT) >>> 0, sequence, Buffer.from(`${id}\0`)));
        const submit = readSubmit(body);
        if (submit.wantsReceipt) responses.push(encodeReceipt(++lastSequence, id, submit));
        continue;
      }
      if (BINDS.has(command)) figures.binds += 1;
      responses.push(encodePdu((command | RESPONSE_BIT) >>> 0, sequence, BINDS.has(command) ? BIND_RESPONSE : EMPTY));
      if (command === UNBIND) socket.end(Buffer.concat(responses.splice(0)));
    }
    pending = offset === octets.length ? EMPTY : octets.subarray(offset);
    if (responses.length > 0) socket.write(Buffer.concat(responses));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
createInterface({ input: process.stdin })
  .on('line', () => {
    console.log(JSON.stringify(figures));
    figures = createFigures();
  })
  // Standard input closes when the parent process ends.
  .on('close', () => process.exit());
