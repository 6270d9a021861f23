import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack as tar } from 'tar-stream';
import { exists } from '../embedded/cluster/files.js';
import { syncFolder } from '../machine/sync-folder.js';
import { type ArchiveContents, checkArchive } from './archive-reader.js';
import { BackupError, type Dump, DumpTally } from './dump.js';

/**
 * Approximate size of a tar entry. A table is split into entries, because an entry starts with its length and must therefore be
 * buffered.
 */
const ENTRY_BYTES = 4 * 1024 * 1024;
/** Gzip level 3 takes a third of the default level's time and makes backups only a tenth larger. */
const GZIP_LEVEL = 3;

export interface ArchiveOptions {
  path: string;
  dump: Dump;
  files: ReadonlyMap<string, Buffer>;
  onRows?(table: string, rows: number): void;
}

/** Writes a draft, verifies it, and renames it, so that a backup file is always complete. */
export async function writeArchive({ path, ...options }: ArchiveOptions): Promise<ArchiveContents> {
  await expectNoFile(path);
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await writeDraft(draft, options).catch((error: unknown) => {
      if (!isFileSystemError(error)) throw error;
      throw new BackupError(`Cannot write ${path}: ${error.message}.`, { cause: error });
    });
    const contents = await checkArchive(draft);
    await expectNoFile(path);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return contents;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall));
}

export async function expectNoFile(path: string): Promise<void> {
  if (!(await exists(dirname(path)))) throw new BackupError(`The folder ${dirname(path)} does not exist.`);
  if (await exists(path)) throw new BackupError(`${path} already exists. Choose another file, or remove it first.`);
}

async function writeDraft(path: string, { dump, files, onRows }: Omit<ArchiveOptions, 'path'>): Promise<void> {
  const pack = tar();
  const filling = fillArchive(pack, { dump, files, onRows }).catch((error: Error) => pack.destroy(error));
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(pack as AsyncIterable<Buffer>), createGzip({ level: GZIP_LEVEL }), file);
  await filling;
}

async function fillArchive(pack: Pack, { dump, files, onRows }: Omit<ArchiveOptions, 'path'>): Promise<void> {
  const tally = new DumpTally();
  let table = '';
  let pendingChunks: Buffer[] = [];
  let pendingBytes = 0;
  let entryNumber = 0;
  const flush = async () => {
    if (pendingBytes > 0) {
      entryNumber += 1;
      await addEntry(
        pack,
        `tables/${table}/${String(entryNumber).padStart(6, '0')}.copy`,
        Buffer.concat(pendingChunks, pendingBytes),
      );
      onRows?.(table, tally.countRows(table));
    }
    pendingChunks = [];
    pendingBytes = 0;
  };
  await addEntry(pack, 'head.json', toJsonBuffer(dump.head));
  for (const [name, content] of files) await addEntry(pack, `files/${name}`, content);
  for await (const chunk of dump.chunks) {
    if (chunk.table !== table) {
      await flush();
      table = chunk.table;
      entryNumber = 0;
    }
    tally.add(chunk);
    pendingChunks.push(chunk.bytes);
    pendingBytes += chunk.bytes.length;
    if (pendingBytes >= ENTRY_BYTES) await flush();
  }
  await flush();
  await addEntry(pack, 'totals.json', toJsonBuffer(tally.computeTotals(dump.head.tables)));
  pack.finalize();
}

function toJsonBuffer(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function addEntry(pack: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = pack.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()));
    // The callback also receives the error, but an `error` event without a listener would end the process.
    entry.on('error', reject);
  });
}
