import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Entry, extract as untar } from 'tar-stream';
import { BackupError, type Chunk, type Dump, DumpHead, DumpTally, FORMAT, TableTotal } from './dump.js';

export interface ArchiveContents {
  head: DumpHead;
  totals: Record<string, TableTotal>;
  files: Map<string, Buffer>;
}

const Totals = Type.Record(Type.String(), TableTotal);
const VersionedHead = Type.Object({ format: Type.Integer(), version: Type.String() });

/** @throws {BackupError} on a checksum mismatch */
export async function checkArchive(path: string): Promise<ArchiveContents> {
  const { head, files, chunks, getTotals } = await openArchive(path);
  for await (const _ of chunks);
  return { head, files, totals: getTotals() };
}

/** The result of `getTotals` is complete and verified once all rows have been read. */
export interface OpenArchive extends Dump {
  files: Map<string, Buffer>;
  getTotals(): Record<string, TableTotal>;
}

/** Throws a BackupError if the file is not a backup or was written by a later version. */
export async function openArchive(path: string): Promise<OpenArchive> {
  const entries = readEntries(path);
  const first = await entries.next();
  if (first.done || first.value.name !== 'head.json') throw new BackupError(`${path} is not a Heliograph backup.`);
  const head = await readHead(path, first.value);
  const files = new Map<string, Buffer>();
  let totals: Record<string, TableTotal> = {};
  let next = await entries.next();
  while (!next.done && next.value.name.startsWith('files/')) {
    files.set(next.value.name.slice('files/'.length), await buffer(next.value.body));
    next = await entries.next();
  }

  async function* chunks(): AsyncGenerator<Chunk> {
    const tally = new DumpTally();
    for (; !next.done; next = await entries.next()) {
      const { name, body } = next.value;
      if (name === 'totals.json') {
        totals = readTotals(path, await buffer(body));
        compareTotals(path, totals, tally.computeTotals(head.tables));
        // The checksum at the end of the gzip file is verified only if all remaining entries are read.
        while (!(await entries.next()).done);
        return;
      }
      const table = /^tables\/(\w+)\//.exec(name)?.[1];
      if (!table || !head.tables.some((tableHead) => tableHead.name === table))
        throw createDamagedError(path, `it contains ${name}`);
      for await (const bytes of body) {
        tally.add({ table, bytes });
        yield { table, bytes };
      }
    }
    throw createDamagedError(path, 'its end is missing');
  }
  return { head, files, chunks: chunks(), getTotals: () => totals };
}

interface ArchiveEntry {
  name: string;
  /** The body must be read before the next entry is requested. */
  body: AsyncIterable<Buffer>;
}

async function* readEntries(path: string): AsyncGenerator<ArchiveEntry, void> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  const tar = untar();
  const fail = (error: Error) => tar.destroy(error);
  file.on('error', fail);
  gunzip.on('error', fail);
  file.pipe(gunzip).pipe(tar);
  let entryCount = 0;
  try {
    for await (const entry of tar) {
      entryCount += 1;
      yield { name: entry.header.name, body: readBody(path, entry) };
    }
  } catch (error) {
    throw toBackupError(path, error, entryCount);
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** Rephrases errors of the compressed stream, which also reach the entry that is being read. */
async function* readBody(path: string, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* entry as AsyncIterable<Buffer>;
  } catch (error) {
    throw toBackupError(path, error, 1);
  }
}

function toBackupError(path: string, error: unknown, entriesRead: number): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new BackupError(`The file ${path} does not exist.`);
  if (code === 'EISDIR') return new BackupError(`${path} is a folder, not a backup.`);
  const isDamaged = code.startsWith('Z_') || /tar header|end of data|premature/i.test(message);
  if (!isDamaged) return error;
  if (entriesRead === 0 && code !== 'Z_BUF_ERROR') return new BackupError(`${path} is not a Heliograph backup.`);
  return createDamagedError(path, code === 'Z_BUF_ERROR' ? 'its end is missing' : 'some of its bytes have changed');
}

function createDamagedError(path: string, problem: string): BackupError {
  return new BackupError(`The backup ${path} is damaged: ${problem}.`);
}

async function readHead(path: string, { body }: ArchiveEntry): Promise<DumpHead> {
  const head = parseJson(path, await buffer(body));
  if (Value.Check(VersionedHead, head) && head.format > FORMAT) {
    throw new BackupError(
      `The backup ${path} was created by Heliograph ${head.version}, whose format is newer than this version supports. ` +
        'Restore it with that version.',
    );
  }
  if (!Value.Check(DumpHead, head)) throw createDamagedError(path, 'its head.json is invalid');
  return head;
}

function readTotals(path: string, content: Buffer): Record<string, TableTotal> {
  const totals = parseJson(path, content);
  if (!Value.Check(Totals, totals)) throw createDamagedError(path, 'its totals.json is invalid');
  return totals;
}

function parseJson(path: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    throw createDamagedError(path, 'one of its JSON files is invalid');
  }
}

function compareTotals(
  path: string,
  expectedTotals: Record<string, TableTotal>,
  actualTotals: Record<string, TableTotal>,
): void {
  for (const [table, total] of Object.entries(actualTotals)) {
    const expected = expectedTotals[table];
    if (!expected) throw createDamagedError(path, `it has no checksum for the table ${table}`);
    if (expected.rows !== total.rows) {
      throw createDamagedError(path, `the table ${table} has ${total.rows} rows instead of ${expected.rows}`);
    }
    if (expected.sha256 !== total.sha256) {
      throw createDamagedError(path, `the rows of the table ${table} have changed (their SHA-256 differs)`);
    }
  }
}
