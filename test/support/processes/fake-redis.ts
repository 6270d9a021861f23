import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Gets a command in lower case. Undefined answers `+OK`. */
export type FakeAnswer = (command: string, socket: Socket) => string | undefined | Promise<string | undefined>;

export interface FakeRedis {
  port: number;
  sockets: Set<Socket>;
  readonly asked: number;
}

export const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

export const several = (...texts: string[]) => `*${texts.length}\r\n${texts.map(bulk).join('')}`;

/**
 * Speaks version 2 of the Redis protocol on loopback until the test ends.
 * @param allowHalfOpen whether a connection stays open after the other side has ended it
 */
export async function fakeRedis(answer: FakeAnswer, { allowHalfOpen = false } = {}): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  let asked = 0;
  const server = createServer({ allowHalfOpen }, (socket) => {
    asked += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    let before = Promise.resolve();
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let taken = takeCommand(text); taken; taken = takeCommand(text)) {
        text = taken.rest;
        const command = taken.words.join(' ').toLowerCase();
        const said = command.startsWith('hello ') ? "-ERR unknown command 'HELLO'\r\n" : answer(command, socket);
        before = before.then(async () => void socket.write((await said) ?? '+OK\r\n'));
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
    get asked() {
      return asked;
    },
  };
}

/** Parses the first complete command; null if there is none yet. */
function takeCommand(text: string): { words: string[]; rest: string } | null {
  const lines = text.split('\r\n');
  const count = Number(lines[0]?.slice(1));
  if (!(count > 0) || lines.length <= 2 * count + 1) return null;
  const words = Array.from({ length: count }, (_, index) => lines[2 * index + 2] ?? '');
  return { words, rest: lines.slice(2 * count + 1).join('\r\n') };
}
