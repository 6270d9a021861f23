import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Returns the reply to a command in lower case, or undefined to reply `+OK`. */
export type FakeReply = (command: string, socket: Socket) => string | undefined | Promise<string | undefined>;

export interface FakeRedis {
  port: number;
  sockets: Set<Socket>;
  readonly connectionCount: number;
}

export const encodeBulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

export const encodeArray = (...texts: string[]) => `*${texts.length}\r\n${texts.map(encodeBulk).join('')}`;

/**
 * Starts a server that speaks version 2 of the Redis protocol on loopback until the test ends.
 * @param allowHalfOpen `true` keeps a connection open after the client has ended its side
 */
export async function startFakeRedis(createReply: FakeReply, { allowHalfOpen = false } = {}): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  let connectionCount = 0;
  const server = createServer({ allowHalfOpen }, (socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    let previousWrite = Promise.resolve();
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let parsed = parseCommand(text); parsed; parsed = parseCommand(text)) {
        text = parsed.rest;
        const command = parsed.words.join(' ').toLowerCase();
        const reply = command.startsWith('hello ') ? "-ERR unknown command 'HELLO'\r\n" : createReply(command, socket);
        previousWrite = previousWrite.then(async () => void socket.write((await reply) ?? '+OK\r\n'));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    get connectionCount() {
      return connectionCount;
    },
  };
}

/** Parses the first command, or returns null until a command is complete. */
function parseCommand(text: string): { words: string[]; rest: string } | null {
  const lines = text.split('\r\n');
  const count = Number(lines[0]?.slice(1));
  if (!(count > 0) || lines.length <= 2 * count + 1) return null;
  const words = Array.from({ length: count }, (_, index) => lines[2 * index + 2] ?? '');
  return { words, rest: lines.slice(2 * count + 1).join('\r\n') };
}
