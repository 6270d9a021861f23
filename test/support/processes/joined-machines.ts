import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, inject, onTestFinished } from 'vitest';
import { NAMESPACES_SUITE } from '../run/provided.js';

/** Addresses inside the namespaces. No packet leaves them. */
const SERVER = '10.83.0.1';
const CLIENT = '10.83.0.2';
const SUBNET = '10.83.0.0/24';
const CABLE = 'cable';
const PORT = 5433;

/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];

function canJoin(): boolean {
  const cable = `ip link add ${CABLE} type veth peer name other && nsenter --target $$ --net true && ${AS_NOBODY.join(' ')} true`;
  return spawnSync('unshare', ['--net', 'sh', '-c', cable]).status === 0;
}

/** Skips and reports the suite if network namespaces are not permitted. */
export function describeMachines(name: string, suite: () => void): void {
  describe.skipIf(!canJoin())(`${name} ${NAMESPACES_SUITE}`, suite);
}

export interface ServerMachine {
  process: ChildProcess;
  /** For the other machine. */
  url: string;
  /** URL of the Unix socket, which works without the network. */
  localUrl: string;
}

export async function startServerMachine(): Promise<ServerMachine> {
  const folder = mkdtempSync(join(inject('services').runFolder, 'machine-'));
  chownSync(folder, readNobodyId('-u'), readNobodyId('-g'));
  const data = join(folder, 'data');
  const bin = await findPostgresPrograms();
  const initdbArgs = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  run([...AS_NOBODY, join(bin, 'initdb'), ...initdbArgs], folder);
  appendFileSync(join(data, 'pg_hba.conf'), `host all all ${SUBNET} trust\n`);
  const settings = { listen_addresses: '*', port: `${PORT}`, unix_socket_directories: folder, fsync: 'off' };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Each program of the command replaces the previous one, so the spawned process becomes PostgreSQL.
  const command = ['--net', ...AS_NOBODY, join(bin, 'postgres'), '-D', data, ...options];
  const server = spawn('unshare', command, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => stop(server, 'SIGQUIT'));
  await waitForOutput(server, server.stderr, 'ready to accept connections');
  server.stderr.resume();
  return {
    process: server,
    url: `postgresql://postgres@${SERVER}:${PORT}/postgres`,
    localUrl: `postgresql://postgres@localhost:${PORT}/postgres?host=${encodeURIComponent(folder)}`,
  };
}

export function startClientMachine(args: readonly string[]) {
  const client = spawn('unshare', ['--net', process.execPath, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => stop(client, 'SIGKILL'));
  return client;
}

export function joinMachines(server: ChildProcess, client: ChildProcess): void {
  const linkEnd = (machine: ChildProcess) => ['netns', `${machine.pid}`];
  run(['ip', 'link', 'add', CABLE, ...linkEnd(server), 'type', 'veth', 'peer', 'name', CABLE, ...linkEnd(client)]);
  for (const [machine, address] of [
    [server, SERVER],
    [client, CLIENT],
  ] as const) {
    run([...inNamespace(machine), 'ip', 'address', 'add', `${address}/24`, 'dev', CABLE]);
    run([...inNamespace(machine), 'ip', 'link', 'set', CABLE, 'up']);
  }
}

/**
 * Checks whether the other side has acknowledged all data that a machine sent. The kernel retransmits unacknowledged data for
 * many minutes, during which it sends no keepalive probes.
 */
export function isAllAcknowledged(machine: ChildProcess): boolean {
  const [program = '', ...args] = [...inNamespace(machine), 'ss', '--no-header', '--numeric', '--tcp'];
  const { status, stdout, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ss failed: ${error?.message ?? status}`);
  const sendQueues = stdout.split('\n').flatMap((line) => line.trim().split(/\s+/)[2] ?? []);
  return sendQueues.length > 0 && sendQueues.every((bytes) => bytes === '0');
}

/** Takes a machine's network link down without notifying the other machine. */
export function unplug(machine: ChildProcess): void {
  run([...inNamespace(machine), 'ip', 'link', 'set', CABLE, 'down']);
}

function inNamespace(machine: ChildProcess): string[] {
  return ['nsenter', '--target', `${machine.pid}`, '--net'];
}

function run([program = '', ...args]: readonly string[], cwd?: string): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

function readNobodyId(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
}

async function findPostgresPrograms(): Promise<string> {
  const client = new pg.Client({ connectionString: inject('services').postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ setting: string }>("SELECT setting FROM pg_config() WHERE name = 'BINDIR'");
    return rows[0]?.setting as string;
  } finally {
    await client.end();
  }
}

async function waitForOutput(child: ChildProcess, stream: NodeJS.ReadableStream, text: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes(text)) resolve();
    });
    child.once('close', () => reject(new Error(`the program ended: ${output}`)));
  });
  stream.removeAllListeners('data');
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
