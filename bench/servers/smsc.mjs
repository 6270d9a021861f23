// An SMSC for benchmarks based on the package smpp: node bench/servers/smsc.mjs. It accepts every submit and sends a receipt. It
// prints its port. For each line on standard input it prints its figures since the last one, as JSON.
import { createInterface } from 'node:readline';
import smpp from 'smpp';

let seen = fresh();
let lastId = 0;
/** All messages so far, to count those that are submitted twice. */
const messages = new Set();

function fresh() {
  return { binds: 0, submits: 0, twice: 0, receipts: 0, refusedReceipts: 0, first: null, last: null, busiestSecond: 0 };
}

/** Submits of the current second, to find the busiest one. */
const window = [];
function count() {
  const now = performance.now();
  seen.submits += 1;
  seen.first ??= now;
  seen.last = now;
  window.push(now);
  while (window[0] <= now - 1000) window.shift();
  seen.busiestSecond = Math.max(seen.busiestSecond, window.length);
}

const server = smpp.createServer({}, (session) => {
  session.on('error', () => session.destroy());
  session.on('pdu', (pdu) => {
    if (pdu.isResponse()) return;
    if (pdu.command.startsWith('bind_')) seen.binds += 1;
    if (pdu.command !== 'submit_sm') {
      session.send(pdu.response());
      return;
    }
    count();
    const id = String(++lastId);
    if (messages.has(pdu.destination_addr)) seen.twice += 1;
    messages.add(pdu.destination_addr);
    session.send(pdu.response({ message_id: id }));
    const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:DELIVRD err:000 text:`;
    session.send(
      new smpp.PDU('deliver_sm', {
        source_addr: pdu.destination_addr,
        destination_addr: pdu.source_addr,
        esm_class: 4,
        data_coding: 0,
        short_message: Buffer.from(text, 'latin1'),
      }),
      ({ command_status: status }) => {
        if (status === 0) seen.receipts += 1;
        else seen.refusedReceipts += 1;
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
createInterface({ input: process.stdin }).on('line', () => {
  console.log(JSON.stringify(seen));
  seen = fresh();
});
