import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { inDataFolder } from '../../platform/machine/data-folder.js';
import { syncFolder } from '../../platform/machine/sync-folder.js';

/** In DATA_DIR. */
export const DEMO_FILE = 'demo.json';

/** The content of `demo.json`. Scripts read it: its shape is fixed. */
export interface DemoKeys {
  baseUrl: string;
  surfaceA: { apiKey: string };
  surfaceB: { apiKey: string; apiSecret: string; channelId: string };
  /** Opens the console, once. Files of older versions have none. */
  console?: { signInUrl: string };
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
  const path = join(dataDir, DEMO_FILE);
  const temporary = `${path}.new`;
  await inDataFolder(dataDir, async () => {
    // One that a crash left behind could have another mode, which opening it again would keep.
    await rm(temporary, { force: true });
    await replaceFile({ dataDir, path, temporary }, keys);
  });
  return path;
}

/**
 * The address at which the server that shares this folder listened last, from `demo.json`.
 * @returns undefined where there is no such file, or none that can be read: it is a convenience, nothing hangs on it
 */
export async function readDemoBaseUrl(dataDir: string): Promise<string | undefined> {
  try {
    const { baseUrl } = JSON.parse(await readFile(join(dataDir, DEMO_FILE), 'utf8')) as Partial<DemoKeys>;
    return baseUrl;
  } catch {
    return undefined;
  }
}

/**
 * Tells `demo.json`, where there is one, the address at which the server listens now. Everything else in it stays.
 * @param consoleUrl where browsers reach the console, if that is elsewhere
 * @returns whether it named another address
 */
export async function updateDemoBaseUrl(dataDir: string, baseUrl: string, consoleUrl = baseUrl): Promise<boolean> {
  const path = join(dataDir, DEMO_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  const keys = JSON.parse(text) as DemoKeys;
  const { console } = keys;
  const moved = console && { console: { ...console, signInUrl: movedTo(consoleUrl, console.signInUrl) } };
  if (keys.baseUrl === baseUrl && moved?.console.signInUrl === console?.signInUrl) return false;
  // Servers on other ports may share the folder: each writes a file of its own.
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await replaceFile({ dataDir, path, temporary }, { ...keys, baseUrl, ...moved });
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}

/**
 * Writes `demo.json` as a backup holds it, for its owner only.
 * @param options.replace whether one that is there already gives way
 */
export async function restoreDemoFile(
  dataDir: string,
  content: Buffer,
  { replace }: { replace: boolean },
): Promise<void> {
  await inDataFolder(dataDir, async () => {
    const path = join(dataDir, DEMO_FILE);
    if (replace) await rm(path, { force: true });
    await withFile(path, 'wx', (file) => file.writeFile(content)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  });
}

/** The same page at another address. */
function movedTo(baseUrl: string, url: string): string {
  const { pathname, search, hash } = new URL(url);
  return `${baseUrl}${pathname}${search}${hash}`;
}

async function replaceFile(
  { dataDir, path, temporary }: { dataDir: string; path: string; temporary: string },
  keys: DemoKeys,
): Promise<void> {
  await withFile(temporary, 'wx', async (file) => {
    await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
    await file.sync();
  });
  await rename(temporary, path);
  await syncFolder(dataDir);
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
