import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { Connection } from '../../../../src/carriers/smpp/session/connection.js';
import { buildRequest, readPdu, writePdu } from '../../../../src/carriers/smpp/wire/pdu.js';

function openConnection() {
  const writes: Buffer[][] = [];
  const listWrites = () => writes.map((chunks) => chunks.map((chunk) => readPdu(chunk).sequence));
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
  return { connection, socket, listWrites };
}

const waitForNextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('requests of one event loop turn are sent in one write', async () => {
  const { connection, listWrites } = openConnection();
  const pendingRequests = [1, 2].map(() => connection.request('enquire_link', 10_000));
  // Continues in a microtask, like a caller whose promise has just been settled.
  await Promise.resolve();
  pendingRequests.push(connection.request('enquire_link', 10_000));
  await waitForNextTurn();
  expect(listWrites()).toEqual([[1, 2, 3]]);
  pendingRequests.push(connection.request('enquire_link', 10_000));
  await waitForNextTurn();
  expect(listWrites()).toEqual([[1, 2, 3], [4]]);
  connection.destroy(new Error('the test is finished'));
  await Promise.allSettled(pendingRequests);
});

it('responses to requests received in one chunk are sent in one write', async () => {
  const { connection, socket, listWrites } = openConnection();
  socket.push(Buffer.concat([7, 8, 9].map((sequence) => writePdu(buildRequest('enquire_link', sequence)))));
  await waitForNextTurn();
  await waitForNextTurn();
  expect(listWrites()).toEqual([[7, 8, 9]]);
  connection.destroy(new Error('the test is finished'));
});

it('pending writes are sent before the connection ends', async () => {
  const { connection, listWrites } = openConnection();
  const pendingRequests = connection.request('unbind', 10_000);
  connection.end(new Error('the test is finished'));
  await waitForNextTurn();
  expect(listWrites()).toEqual([[1]]);
  connection.destroy(new Error('the test is finished'));
  await expect(pendingRequests).rejects.toThrow('the connection ended before the response');
});

it.each([
  ['an invalid PDU length', Buffer.alloc(16)],
  [
    'a generic_nack without a request',
    writePdu({ commandId: 0x80000000, status: 2, sequence: 0, body: Buffer.alloc(0) }),
  ],
])('responses received in the same chunk as %s are still processed', async (_, ending) => {
  const { connection, socket } = openConnection();
  const [first, second, unanswered] = [1, 2, 3].map(() => connection.request('submit_sm', 10_000));
  const rejection = expect(unanswered).rejects.toThrow('the connection ended before the response');
  const responses = [1, 2].map((sequence) =>
    writePdu({ commandId: 0x80000004, status: 0, sequence, body: Buffer.from(`id-${sequence}\0`) }),
  ) as [Buffer, Buffer];
  const isReadable = ending.readUInt32BE(0) > 0;
  socket.push(Buffer.concat(isReadable ? [responses[0], ending, responses[1]] : [...responses, ending]));
  await expect(Promise.all([first, second])).resolves.toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
  await rejection;
  await expect(connection.closed).resolves.toBeInstanceOf(Error);
});
