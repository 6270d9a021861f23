import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, inject } from 'vitest';
import { REDIS_SUITE } from '../run/provided.js';
import { findProgram, installPackage } from './debian-packages.js';
import { freePort } from './free-port.js';

const SERVERS = ['redis-server', 'valkey-server'];

/** The path of a Redis or Valkey server on this machine, or null. */
export function findRedisBinary(): string | null {
  return findProgram(SERVERS);
}

/**
 * Installs the package redis-server where that can be done unasked: as root on Debian or Ubuntu.
 * @returns the server's path, or null where it cannot be done or failed
 */
export function installRedis(say: (line: string) => void): string | null {
  return installPackage('redis-server', say) ? findRedisBinary() : null;
}

/** A suite that starts Redis servers of its own (`startRedis`): skipped and counted where there is none to start. */
export function describeOwnRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisBinary === null)(`${name} ${REDIS_SUITE}`, suite);
}

/** A Redis server of a test's own. */
export interface RedisServer {
  url: string;
  port: number;
  process: ChildProcess;
  /** Ends it; its data folder is kept, so that `startRedis({ port, folder })` continues where it was. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  folder: string;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** A free one unless told. */
  port?: number;
  /** Where it works, and where its append-only file lies; a new folder in that of the run unless told. */
  folder?: string;
  /** Keeps an append-only file. */
  appendOnly?: boolean;
  /** Drops keys when its memory is full. */
  evicting?: boolean;
  binary?: string;
}

/**
 * Starts a Redis server on 127.0.0.1 and resolves once it answers; suites that need it use `describeOwnRedis`.
 * @throws Error when it ends before it answers, with what it said
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const binary = options.binary ?? inject('services').redisBinary;
  if (!binary) throw new Error('there is no redis-server or valkey-server on this machine');
  const port = options.port ?? (await freePort());
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
  const ended = once(child, 'exit');
  const url = `redis://127.0.0.1:${port}`;
  const failed = ended.then(() => {
    throw new Error(`${binary} ended before it answered:\n${output}`);
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  await Promise.race([answers(url), failed]);
  failed.catch(() => {});
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, port, process: child, folder, stop, close };
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null, lazyConnect: false });
  client.on('error', () => {});
  try {
    await client.ping();
  } finally {
    client.disconnect();
  }
}
