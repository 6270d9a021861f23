import { mkdir, open, rename, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';

/** The content of `demo.json`. Scripts read it: its shape is fixed. */
export interface DemoKeys {
  baseUrl: string;
  surfaceA: { apiKey: string };
  surfaceB: { apiKey: string; apiSecret: string; channelId: string };
}

/** Where a client on this machine reaches a server that listens on this host and port. */
export function demoBaseUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Writes `demo.json` for its owner only (mode 0600), whole or not at all, over an earlier one. When it resolves the
 * file outlives a power cut.
 * @returns the file's path
 */
export async function writeDemoFile(dataDir: string, keys: DemoKeys): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'demo.json');
  const temporary = `${path}.new`;
  // One that a crash left behind could have another mode, which opening it again would keep.
  await rm(temporary, { force: true });
  await withFile(temporary, 'wx', async (file) => {
    await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
    await file.sync();
  });
  await rename(temporary, path);
  await withFile(dataDir, 'r', (directory) => directory.sync());
  return path;
}

type FileHandle = Awaited<ReturnType<typeof open>>;

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
