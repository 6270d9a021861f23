// An SMSC for benchmarks that needs very little processor time: node bench/servers/lean-smsc.mjs. It understands only the necessary
// part of SMPP 3.4, accepts every submit at once, and sends a receipt if requested. It prints its port. For each line on standard
// input it prints its figures since the last one, as JSON.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** command_id (SMPP 3.4, 5.1.2.1). Responses have the highest bit set. */
const SUBMIT_SM = 0x00000004;
const DELIVER_SM = 0x00000005;
const UNBIND = 0x00000006;
const BINDS = new Set([0x00000001, 0x00000002, 0x00000009]);
const RESPONSE = 0x80000000;
const HEADER_OCTETS = 16;
const BIND_ANSWER = Buffer.from('bench\0');
const NOTHING = Buffer.alloc(0);

/** `first` and `last`: times of submits, in milliseconds since 1970. */
const fresh = () => ({ binds: 0, submits: 0, receipts: 0, refusedReceipts: 0, first: null, last: null });
let seen = fresh();
let lastId = 0;

/** Encodes a PDU. */
function pdu(command, sequence, body) {
  const octets = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  octets.writeUInt32BE(octets.length, 0);
  octets.writeUInt32BE(command, 4);
  octets.writeUInt32BE(0, 8);
  octets.writeUInt32BE(sequence, 12);
  body.copy(octets, HEADER_OCTETS);
  return octets;
}

/** Reads the fields of a submit_sm that a receipt repeats (SMPP 3.4, 4.4.1). */
function readSubmit(body) {
  let offset = 0;
  const text = () => {
    const start = offset;
    offset = body.indexOf(0, start) + 1;
    return body.toString('latin1', start, offset - 1);
  };
  text(); // service_type
  offset += 2;
  const source = text();
  offset += 2;
  const destination = text();
  offset += 3; // esm_class, protocol_id, priority_flag
  text(); // schedule_delivery_time
  text(); // validity_period
  return { source, destination, wantsReceipt: (body[offset] & 3) !== 0 };
}

function receipt(sequence, id, { source, destination }) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:DELIVRD err:000 text:`;
  const head = `\0\x01\x01${destination}\0\x01\x01${source}\0\x04\0\0\0\0\0\0\0\0${String.fromCharCode(text.length)}`;
  return pdu(DELIVER_SM, sequence, Buffer.from(head + text, 'latin1'));
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = NOTHING;
  let lastSequence = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const octets = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const answers = [];
    let offset = 0;
    while (octets.length - offset >= HEADER_OCTETS) {
      const end = offset + octets.readUInt32BE(offset);
      if (end > octets.length) break;
      const [command, status, sequence] = [4, 8, 12].map((field) => octets.readUInt32BE(offset + field));
      const body = octets.subarray(offset + HEADER_OCTETS, end);
      offset = end;
      if (command === (DELIVER_SM | RESPONSE) >>> 0) {
        if (status === 0) seen.receipts += 1;
        else seen.refusedReceipts += 1;
        continue;
      }
      if (command >= RESPONSE) continue;
      if (command === SUBMIT_SM) {
        const id = String(++lastId);
        seen.submits += 1;
        seen.last = performance.timeOrigin + performance.now();
        seen.first ??= seen.last;
        answers.push(pdu((SUBMIT_SM | RESPONSE) >>> 0, sequence, Buffer.from(`${id}\0`)));
        const submit = readSubmit(body);
        if (submit.wantsReceipt) answers.push(receipt(++lastSequence, id, submit));
        continue;
      }
      if (BINDS.has(command)) seen.binds += 1;
      answers.push(pdu((command | RESPONSE) >>> 0, sequence, BINDS.has(command) ? BIND_ANSWER : NOTHING));
      if (command === UNBIND) socket.end(Buffer.concat(answers.splice(0)));
    }
    pending = offset === octets.length ? NOTHING : octets.subarray(offset);
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
createInterface({ input: process.stdin })
  .on('line', () => {
    console.log(JSON.stringify(seen));
    seen = fresh();
  })
  // The parent process has ended.
  .on('close', () => process.exit());
