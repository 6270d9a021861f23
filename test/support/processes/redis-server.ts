import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, inject } from 'vitest';
import { REDIS_SUITE } from '../run/provided.js';
import { findProgram, installPackage } from './debian-packages.js';
import { findFreePort } from './free-port.js';

const SERVERS = ['redis-server', 'valkey-server'];

export function findRedisBinary(): string | null {
  return findProgram(SERVERS);
}

/** Installs Redis as root on Debian or Ubuntu, and returns the server's path, or null if this is not possible. */
export function installRedis(log: (line: string) => void): string | null {
  return installPackage('redis-server', log) ? findRedisBinary() : null;
}

/** Skips and reports a suite that starts its own Redis (`startRedis`) if no Redis is installed. */
export function describeOwnRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisBinary === null)(`${name} ${REDIS_SUITE}`, suite);
}

export interface RedisServer {
  url: string;
  port: number;
  process: ChildProcess;
  /** Stops Redis but keeps the data folder, so that `startRedis({ port, folder })` continues with its data. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  folder: string;
  /** Also removes the data. */
  close(): Promise<void>;
}

export interface RedisServerOptions {
  port?: number;
  /** Working folder with the append-only file, by default a new folder. */
  folder?: string;
  appendOnly?: boolean;
  evicting?: boolean;
  binary?: string;
}

/** @throws Error with the output if the server ends before it answers */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const binary = options.binary ?? inject('services').redisBinary;
  if (!binary) throw new Error('there is no redis-server or valkey-server on this machine');
  const port = options.port ?? (await findFreePort());
  const folder = options.folder ?? mkdtempSync(join(inject('services').runFolder, 'redis-'));
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: options.appendOnly ? 'yes' : 'no',
    'maxmemory-policy': options.evicting ? 'allkeys-lru' : 'noeviction',
    daemonize: 'no',
  };
  const child = spawn(
    binary,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  });
  const exit = once(child, 'exit');
  const url = `redis://127.0.0.1:${port}`;
  const failed = exit.then(() => {
    throw new Error(`${binary} ended before it answered:\n${output}`);
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exit;
  };
  await Promise.race([waitForAnswer(url), failed]);
  failed.catch(() => {});
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, port, process: child, folder, stop, close };
}

async function waitForAnswer(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null, lazyConnect: false });
  client.on('error', () => {});
  try {
    await client.ping();
  } finally {
    client.disconnect();
  }
}
