import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { Bind } from '../../../../src/carriers/smpp/session/bind.js';
import { COMMAND, readPdu, writePdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import { systemClock } from '../../../../src/platform/system-clock.js';
import { waitFor } from '../../../support/wait-for.js';
import { createSmppSettings } from '../setup.js';

/** Bit that is set in the command_id of a response (SMPP 3.4 §5.1.2.1). */
const RESPONSE_BIT = 0x80000000;

it('reconnect delays grow while an SMSC accepts each bind and closes it immediately', async () => {
  let binds = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (octets) => {
      const { sequence } = readPdu(octets);
      binds += 1;
      const body = Buffer.from('smsc\0');
      socket.end(writePdu({ commandId: COMMAND.bind_transceiver + RESPONSE_BIT, status: 0, sequence, body }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const delays: number[] = [];
  const bind: Bind = new Bind({
    role: 'transceiver',
    settings: createSmppSettings(port, { reconnectMinSeconds: 0.01, reconnectMaxSeconds: 60 }),
    log: pino({ level: 'silent' }),
    clock: systemClock,
    onMessage: () => undefined,
    onChange: () => {
      if (bind.retryInMs > 0) delays.push(bind.retryInMs);
    },
  });
  onTestFinished(async () => {
    await bind.close(AbortSignal.timeout(1_000));
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  bind.start();
  await waitFor('five reconnect delays', () => delays.length >= 5);
  expect(binds).toBeGreaterThanOrEqual(5);
  expect(delays[4]).toBeGreaterThan(5 * (delays[0] as number));
});
