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
import { BackupError, type Dump, Tally } from './dump.js';

/** A tar names the length of an entry before it, so a table is an entry for every so many bytes. */
const ENTRY_BYTES = 4 * 1024 * 1024;
/** A third of the time of the default level, and a file a tenth larger: the server works on the same processors. */
const GZIP_LEVEL = 3;

export interface ArchiveOptions {
  path: string;
  dump: Dump;
  /** Further small files, by name. */
  files: ReadonlyMap<string, Buffer>;
  onRows?(table: string, rows: number): void;
}

/**
 * Writes a dump to a file for its owner only (mode 0600): under another name beside it, read again and compared, and
 * renamed then, so that a file of this name is always whole.
 * @throws {BackupError} when there is a file of this name already, or it cannot be written
 */
export async function writeArchive({ path, ...options }: ArchiveOptions): Promise<ArchiveContents> {
  await expectNoFile(path);
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await writeDraft(draft, options).catch((error: unknown) => {
      // Of the file itself, e.g. that the disk is full; what the store said stays as it is.
      if (!isOfFile(error)) throw error;
      throw new BackupError(`${path} cannot be written: ${error.message}.`, { cause: error });
    });
    const contents = await checkArchive(draft);
    await expectNoFile(path);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return contents;
  } finally {
    // What keeps it from being removed must not hide why there is one.
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function isOfFile(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall));
}

/** @throws {BackupError} when there is something of this name already, or no folder for it */
export async function expectNoFile(path: string): Promise<void> {
  if (!(await exists(dirname(path)))) throw new BackupError(`There is no folder ${dirname(path)}.`);
  if (await exists(path)) throw new BackupError(`${path} is there already: name another file, or remove it first.`);
}

async function writeDraft(path: string, { dump, files, onRows }: Omit<ArchiveOptions, 'path'>): Promise<void> {
  const pack = tar();
  const filling = fill(pack, { dump, files, onRows }).catch((error: Error) => pack.destroy(error));
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(pack as AsyncIterable<Buffer>), createGzip({ level: GZIP_LEVEL }), file);
  await filling;
}

async function fill(pack: Pack, { dump, files, onRows }: Omit<ArchiveOptions, 'path'>): Promise<void> {
  const tally = new Tally();
  let table = '';
  let waiting: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const flush = async () => {
    if (bytes > 0) {
      number += 1;
      await addEntry(pack, `tables/${table}/${String(number).padStart(6, '0')}.copy`, Buffer.concat(waiting, bytes));
      onRows?.(table, tally.rowsOf(table));
    }
    waiting = [];
    bytes = 0;
  };
  await addEntry(pack, 'head.json', json(dump.head));
  for (const [name, content] of files) await addEntry(pack, `files/${name}`, content);
  for await (const chunk of dump.chunks) {
    if (chunk.table !== table) {
      await flush();
      table = chunk.table;
      number = 0;
    }
    tally.add(chunk);
    waiting.push(chunk.bytes);
    bytes += chunk.bytes.length;
    if (bytes >= ENTRY_BYTES) await flush();
  }
  await flush();
  await addEntry(pack, 'totals.json', json(tally.totals(dump.head.tables)));
  pack.finalize();
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** Resolves once the entry has gone to whoever reads the tar. */
function addEntry(pack: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = pack.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()));
    // Told to the callback as well; without a listener it would end the process.
    entry.on('error', reject);
  });
}
