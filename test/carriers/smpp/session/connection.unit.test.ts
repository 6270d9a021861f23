import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { Connection } from '../../../../src/carriers/smpp/session/connection.js';
import { readPdu, requestPdu, writePdu } from '../../../../src/carriers/smpp/wire/pdu.js';

/** A connection whose other side keeps what each write to the system had. */
function openConnection() {
  const writes: Buffer[][] = [];
  const written = () => writes.map((chunks) => chunks.map((chunk) => readPdu(chunk).sequence));
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      writes.push([chunk]);
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => chunk as Buffer));
      done();
    },
  });
  const connection: Connection = new Connection(socket as unknown as Socket, {
    onRequest: (pdu) => connection.respond(pdu, 0),
  });
  return { connection, socket, written };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('requests of one turn of the event loop leave in one write, and the next in another', async () => {
  const { connection, written } = openConnection();
  const closed = [1, 2].map(() => connection.request('enquire_link', 10_000));
  // As a caller that goes on once its promise is settled.
  await Promise.resolve();
  closed.push(connection.request('enquire_link', 10_000));
  await turn();
  expect(written()).toEqual([[1, 2, 3]]);
  closed.push(connection.request('enquire_link', 10_000));
  await turn();
  expect(written()).toEqual([[1, 2, 3], [4]]);
  connection.destroy(new Error('the test is over'));
  await Promise.allSettled(closed);
});

it('answers to what came in one piece leave in one write', async () => {
  const { connection, socket, written } = openConnection();
  socket.push(Buffer.concat([7, 8, 9].map((sequence) => writePdu(requestPdu('enquire_link', sequence)))));
  await turn();
  await turn();
  expect(written()).toEqual([[7, 8, 9]]);
  connection.destroy(new Error('the test is over'));
});

it('what was written last in a turn leaves before the connection ends', async () => {
  const { connection, written } = openConnection();
  const closed = connection.request('unbind', 10_000);
  connection.end(new Error('the test is over'));
  await turn();
  expect(written()).toEqual([[1]]);
  connection.destroy(new Error('the test is over'));
  await expect(closed).rejects.toThrow('the connection ended before the response');
});

it.each([
  ['octets that are no PDU', Buffer.alloc(16)],
  ['a generic_nack of nothing', writePdu({ commandId: 0x80000000, status: 2, sequence: 0, body: Buffer.alloc(0) })],
])('responses count that come in one piece with %s, before or after it', async (_, ending) => {
  const { connection, socket } = openConnection();
  const [first, second, unanswered] = [1, 2, 3].map(() => connection.request('submit_sm', 10_000));
  const lost = expect(unanswered).rejects.toThrow('the connection ended before the response');
  const responses = [1, 2].map((sequence) =>
    writePdu({ commandId: 0x80000004, status: 0, sequence, body: Buffer.from(`id-${sequence}\0`) }),
  ) as [Buffer, Buffer];
  // Behind what is no PDU there is none.
  const isReadable = ending.readUInt32BE(0) > 0;
  socket.push(Buffer.concat(isReadable ? [responses[0], ending, responses[1]] : [...responses, ending]));
  await expect(Promise.all([first, second])).resolves.toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
  await lost;
  await expect(connection.closed).resolves.toBeInstanceOf(Error);
});
