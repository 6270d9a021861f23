import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fillDataFolder } from '../../platform/machine/data-folder.js';
import { syncFolder } from '../../platform/machine/sync-folder.js';

/** In DATA_DIR. */
export const DEMO_FILE = 'demo.json';

/** Scripts read `demo.json`, so its shape must not change. */
export interface DemoKeys {
  baseUrl: string;
  surfaceA: { apiKey: string };
  surfaceB: { apiKey: string; apiSecret: string; channelId: string };
  /** A one-time link, which is missing in files of older versions. */
  console?: { signInUrl: string };
}

/** Returns a URL for clients on this machine. */
export function toDemoBaseUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Writes the file atomically, readable only by its owner.
 * @returns The file's path
 */
export async function writeDemoFile(dataDir: string, keys: DemoKeys): Promise<string> {
  const path = join(dataDir, DEMO_FILE);
  const temporary = `${path}.new`;
  await fillDataFolder(dataDir, async () => {
    // A temporary file left by a crash is removed first, because reopening it would keep its possibly different mode.
    await rm(temporary, { force: true });
    await replaceFile({ dataDir, path, temporary }, keys);
  });
  return path;
}

/** Reads the URL at which the server of this data folder last listened. */
export async function readDemoBaseUrl(dataDir: string): Promise<string | undefined> {
  try {
    const { baseUrl } = JSON.parse(await readFile(join(dataDir, DEMO_FILE), 'utf8')) as Partial<DemoKeys>;
    return baseUrl;
  } catch {
    return undefined;
  }
}

/**
 * @param consoleUrl Base URL of the console, if it differs from `baseUrl`.
 * @returns Whether the file changed
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
  const updatedConsole = console && { console: { ...console, signInUrl: withBaseUrl(consoleUrl, console.signInUrl) } };
  if (keys.baseUrl === baseUrl && updatedConsole?.console.signInUrl === console?.signInUrl) return false;
  // Servers on different ports may share the folder, so each server uses its own temporary file.
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await replaceFile({ dataDir, path, temporary }, { ...keys, baseUrl, ...updatedConsole });
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}

/** Restores `demo.json` from a backup, so that only the file's owner can read it. */
export async function restoreDemoFile(
  dataDir: string,
  content: Buffer,
  { replace }: { replace: boolean },
): Promise<void> {
  await fillDataFolder(dataDir, async () => {
    const path = join(dataDir, DEMO_FILE);
    if (replace) await rm(path, { force: true });
    await withFile(path, 'wx', (file) => file.writeFile(content)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  });
}

function withBaseUrl(baseUrl: string, url: string): string {
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
