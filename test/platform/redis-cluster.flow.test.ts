import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Cluster } from 'ioredis';
import { assert, expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/platform/redis/connections.js';

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** A node that tells who serves the slots, while the cluster is not whole: as when another shard is lost. */
async function nodeOfBrokenCluster(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let port = 0;
    const answers: [RegExp, () => string][] = [
      [/^cluster slots/, () => `*1\r\n*3\r\n:0\r\n:16382\r\n*2\r\n${bulk('127.0.0.1')}:${port}\r\n`],
      [/^cluster info/, () => bulk('cluster_state:fail\r\ncluster_slots_ok:16383\r\n')],
      [/^info/, () => bulk('loading:0\r\n')],
      [/^hello/, () => "-ERR unknown command 'HELLO'\r\n"],
    ];
    let text = '';
    socket.on('data', (data) => {
      port = socket.localPort ?? 0;
      text += data.toString('latin1');
      for (let taken = takeCommand(text); taken; taken = takeCommand(text)) {
        const { words, rest } = taken;
        text = rest;
        const name = words.join(' ').toLowerCase();
        socket.write(answers.find(([command]) => command.test(name))?.[1]() ?? '+OK\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The first whole command of what came in, each word with its length before it; null: none yet. */
function takeCommand(text: string): { words: string[]; rest: string } | null {
  const lines = text.split('\r\n');
  const count = Number(lines[0]?.slice(1));
  if (!(count > 0) || lines.length <= 2 * count + 1) return null;
  const words = Array.from({ length: count }, (_, index) => lines[2 * index + 2] ?? '');
  return { words, rest: lines.slice(2 * count + 1).join('\r\n') };
}

test('connecting to a cluster that lacks a shard settles, for a worker waits for it', async () => {
  const port = await nodeOfBrokenCluster();
  const bearing = { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 };
  const redis = openRedis(`redis+cluster://127.0.0.1:${port}`, bearing, () => undefined);
  onTestFinished(() => redis.disconnect());
  assert(redis instanceof Cluster);
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  for (const each of [redis, copy]) {
    await each.connect();
    expect(each.status).toBe('ready');
  }
});
