import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, onTestFinished } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { isAlive } from '../../../src/platform/embedded/ownership/postmaster.js';
import { openFolder } from '../open-folder.js';
import { waitFor } from '../wait-for.js';

const OWNER = fileURLToPath(new URL('./embedded-owner.mjs', import.meta.url));

/** Creates a folder with a space in its name. After the test, the folder is removed and the PostgreSQL in it stopped. */
export function createDataFolder(): string {
  const { dataDir, remove } = createFolder();
  onTestFinished(remove);
  return dataDir;
}

/** Creates a folder for tests that share one cluster, because a cluster's first start takes seconds. */
export function createSharedDataFolder(): string {
  const { dataDir, remove } = createFolder();
  afterAll(remove);
  return dataDir;
}

function createFolder() {
  const parent = openFolder('heliograph embedded ');
  const dataDir = join(parent, 'data dir');
  return { dataDir, remove: () => removeFolder(parent, join(dataDir, 'postgres')) };
}

export async function removeFolder(folder: string, cluster: string): Promise<void> {
  const pid = readPostmasterPid(cluster);
  if (pid !== null && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT');
    await waitFor('PostgreSQL to end', () => !isAlive(pid));
  }
  rmSync(folder, { recursive: true, force: true });
}

export function readPostmasterPid(cluster: string): number | null {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

/** @throws Error unless PostgreSQL runs in the folder */
export function requirePostmasterPid(dataDir: string): number {
  const pid = readPostmasterPid(join(dataDir, 'postgres'));
  if (pid === null) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  return pid;
}

/** Stopped after the test. */
export async function startEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  onTestFinished(() => postgres.close());
  return postgres;
}

export interface EmbeddedOwner {
  process: ChildProcess;
  /** Answer that the owner prints once PostgreSQL has started or failed to start. */
  answer: { url?: string; error?: string };
  log(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export async function startOwner(
  dataDir: string,
  options: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {},
): Promise<EmbeddedOwner> {
  const { env = process.env, ...user } = options;
  const child = spawn(process.execPath, [OWNER, dataDir], { env, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  onTestFinished(() => kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const answer = await Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line as string) as EmbeddedOwner['answer']),
    once(child, 'close').then(() => ({ error: `the process ended without an answer: ${log}` })),
  ]);
  return { process: child, answer, log: () => log, kill };
}

export async function queryRows<Row extends pg.QueryResultRow>(url: string | undefined, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
