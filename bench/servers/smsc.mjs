// An SMSC for benchmarks that uses the smpp package, accepts every submit and sends a receipt for it. The script first prints
// its port, and then answers each line on standard input with the figures since the previous line, as JSON.
import { createInterface } from 'node:readline';
import smpp from 'smpp';

let figures = createFigures();
let lastId = 0;
/** Recipients of all submits so far, used to detect messages that were submitted twice. */
const recipients = new Set();

function createFigures() {
  return { binds: 0, submits: 0, twice: 0, receipts: 0, refusedReceipts: 0, first: null, last: null, busiestSecond: 0 };
}

/** Times of the submits in the last second, used to count the submits in the busiest second. */
const submitTimes = [];
function countSubmit() {
  const now = performance.now();
  figures.submits += 1;
  figures.first ??= now;
  figures.last = now;
  submitTimes.push(now);
  while (submitTimes[0] <= now - 1000) submitTimes.shift();
  figures.busiestSecond = Math.max(figures.busiestSecond, submitTimes.length);
}

const server = smpp.createServer({}, (session) => {
  session.on('error', () => session.destroy());
  session.on('pdu', (pdu) => {
    if (pdu.isResponse()) return;
    if (pdu.command.startsWith('bind_')) figures.binds += 1;
    if (pdu.command !== 'submit_sm') {
      session.send(pdu.response());
      return;
    }
    countSubmit();
    const id = String(++lastId);
    if (recipients.has(pdu.destination_addr)) figures.twice += 1;
    recipients.add(pdu.destination_addr);
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
        if (status === 0) figures.receipts += 1;
        else figures.refusedReceipts += 1;
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
createInterface({ input: process.stdin }).on('line', () => {
  console.log(JSON.stringify(figures));
  figures = createFigures();
});
