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
