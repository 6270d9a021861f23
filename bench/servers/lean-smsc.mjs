// An SMSC for benchmarks that takes as little of the processors as may be: node bench/servers/lean-smsc.mjs. It reads of SMPP
// 3.4 only what it must, takes every submit at once, and sends a receipt where one is asked for. It prints its port; each
// line on standard input is answered with what it has seen since the last, as JSON.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** command_id (SMPP 3.4, 5.1.2.1); that of a response has the highest bit set. */
const SUBMIT_SM = 0x00000004;
const DELIVER_SM = 0x00000005;
const UNBIND = 0x00000006;
const BINDS = new Set([0x00000001, 0x00000002, 0x00000009]);
const RESPONSE = 0x80000000;
const HEADER_OCTETS = 16;
const BIND_ANSWER = Buffer.from('bench\0');
const NOTHING = Buffer.alloc(0);

/** `first` and `last` submit: milliseconds since 1970. */
const fresh = () => ({ binds: 0, submits: 0, receipts: 0, refusedReceipts: 0, first: null, last: null });
let seen = fresh();
let lastId = 0;

/** A PDU as it goes over the wire. */
function pdu(command, sequence, body) {
  const octets = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  octets.writeUInt32BE(octets.length, 0);
  octets.writeUInt32BE(command, 4);
  octets.writeUInt32BE(0, 8);
  octets.writeUInt32BE(sequence, 12);
  body.copy(octets, HEADER_OCTETS);
  return octets;
}

/** The fields of a submit_sm that a receipt repeats (SMPP 3.4, 4.4.1). */
function readSubmit(body) {
  let at = 0;
  const text = () => {
    const start = at;
    at = body.indexOf(0, start) + 1;
    return body.toString('latin1', start, at - 1);
  };
  text(); // service_type
  at += 2;
  const source = text();
  at += 2;
  const destination = text();
  at += 3; // esm_class, protocol_id, priority_flag
  text(); // schedule_delivery_time
  text(); // validity_period
  return { source, destination, wantsReceipt: (body[at] & 3) !== 0 };
}

function receipt(sequence, id, { source, destination }) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:DELIVRD err:000 text:`;
  const head = `\0\x01\x01${destination}\0\x01\x01${source}\0\x04\0\0\0\0\0\0\0\0${String.fromCharCode(text.length)}`;
  return pdu(DELIVER_SM, sequence, Buffer.from(head + text, 'latin1'));
}

const server = createServer({ noDelay: true }, (socket) => {
  let kept = NOTHING;
  let lastSequence = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const octets = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    const answers = [];
    let at = 0;
    while (octets.length - at >= HEADER_OCTETS) {
      const end = at + octets.readUInt32BE(at);
      if (end > octets.length) break;
      const [command, status, sequence] = [4, 8, 12].map((offset) => octets.readUInt32BE(at + offset));
      const body = octets.subarray(at + HEADER_OCTETS, end);
      at = end;
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
    kept = at === octets.length ? NOTHING : octets.subarray(at);
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
createInterface({ input: process.stdin })
  .on('line', () => {
    console.log(JSON.stringify(seen));
    seen = fresh();
  })
  // Whoever started it is gone.
  .on('close', () => process.exit());
