import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Entry, extract as untar } from 'tar-stream';
import { BackupError, type Chunk, type Dump, DumpHead, FORMAT, TableTotal, Tally } from './dump.js';

/** What a backup holds beside its rows. */
export interface ArchiveContents {
  head: DumpHead;
  totals: Record<string, TableTotal>;
  /** Further small files, by name. */
  files: Map<string, Buffer>;
}

const Totals = Type.Record(Type.String(), TableTotal);
const Format = Type.Object({ format: Type.Integer(), version: Type.String() });

/**
 * Reads a backup from its beginning to its end, and compares every table with its sum.
 * @throws {BackupError} that says what is wrong with it
 */
export async function checkArchive(path: string): Promise<ArchiveContents> {
  const { head, files, chunks, totals } = await openArchive(path);
  for await (const _ of chunks);
  return { head, files, totals: totals() };
}

/** A backup whose rows are to be read; `totals` are known, and were compared, at their end. */
export interface OpenArchive extends Dump {
  files: Map<string, Buffer>;
  totals(): Record<string, TableTotal>;
}

/** Opens a backup and reads up to its rows. @throws {BackupError} when it is none, or one of a later version */
export async function openArchive(path: string): Promise<OpenArchive> {
  const entries = readEntries(path);
  const first = await entries.next();
  if (first.done || first.value.name !== 'head.json') throw new BackupError(`${path} is no backup of Heliograph.`);
  const head = await readHead(path, first.value);
  const files = new Map<string, Buffer>();
  let totals: Record<string, TableTotal> = {};
  let next = await entries.next();
  while (!next.done && next.value.name.startsWith('files/')) {
    files.set(next.value.name.slice('files/'.length), await buffer(next.value.body));
    next = await entries.next();
  }

  async function* chunks(): AsyncGenerator<Chunk> {
    const tally = new Tally();
    for (; !next.done; next = await entries.next()) {
      const { name, body } = next.value;
      if (name === 'totals.json') {
        totals = readTotals(path, await buffer(body));
        compare(path, totals, tally.totals(head.tables));
        // The sum over the whole file comes at its very end.
        while (!(await entries.next()).done);
        return;
      }
      const table = /^tables\/(\w+)\//.exec(name)?.[1];
      if (!table || !head.tables.some((each) => each.name === table)) throw damaged(path, `it holds ${name}`);
      for await (const bytes of body) {
        tally.add({ table, bytes });
        yield { table, bytes };
      }
    }
    throw damaged(path, 'its end is missing');
  }
  return { head, files, chunks: chunks(), totals: () => totals };
}

interface ArchiveEntry {
  name: string;
  /** To be read before the next entry is asked for. */
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
  let read = 0;
  try {
    for await (const entry of tar) {
      read += 1;
      yield { name: entry.header.name, body: bodyOf(path, entry) };
    }
  } catch (error) {
    throw inWords(path, error, read);
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** What breaks the file below its entries breaks the entry that is being read. */
async function* bodyOf(path: string, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* entry as AsyncIterable<Buffer>;
  } catch (error) {
    throw inWords(path, error, 1);
  }
}

function inWords(path: string, error: unknown, entriesRead: number): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new BackupError(`There is no file ${path}.`);
  if (code === 'EISDIR') return new BackupError(`${path} is a folder, and no backup.`);
  const broken = code.startsWith('Z_') || /tar header|end of data|premature/i.test(message);
  if (!broken) return error;
  if (entriesRead === 0 && code !== 'Z_BUF_ERROR') return new BackupError(`${path} is no backup of Heliograph.`);
  return damaged(path, code === 'Z_BUF_ERROR' ? 'its end is missing' : 'some of its bytes are not what was written');
}

function damaged(path: string, what: string): BackupError {
  return new BackupError(`The backup ${path} is damaged: ${what}.`);
}

async function readHead(path: string, { body }: ArchiveEntry): Promise<DumpHead> {
  const head = parsed(path, await buffer(body));
  if (Value.Check(Format, head) && head.format > FORMAT) {
    throw new BackupError(
      `The backup ${path} was taken by Heliograph ${head.version}, which writes a later form of backups than this ` +
        'version reads: restore it with that version.',
    );
  }
  if (!Value.Check(DumpHead, head)) throw damaged(path, 'its head.json does not have the form that it must have');
  return head;
}

function readTotals(path: string, content: Buffer): Record<string, TableTotal> {
  const totals = parsed(path, content);
  if (!Value.Check(Totals, totals)) throw damaged(path, 'its totals.json does not have the form that it must have');
  return totals;
}

function parsed(path: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    throw damaged(path, 'what should be JSON in it is none');
  }
}

function compare(path: string, written: Record<string, TableTotal>, read: Record<string, TableTotal>): void {
  for (const [table, total] of Object.entries(read)) {
    const expected = written[table];
    if (!expected) throw damaged(path, `it names no sum of the table ${table}`);
    if (expected.rows !== total.rows) {
      throw damaged(path, `the table ${table} has ${total.rows} rows in it, and had ${expected.rows}`);
    }
    if (expected.sha256 !== total.sha256) {
      throw damaged(path, `the rows of the table ${table} are others than were written (their SHA-256 differs)`);
    }
  }
}
