import type pg from 'pg';
import { DIGITS_ONLY, type NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { ChannelKind, ContactImportJob, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { layoutOf } from '../../../platform/text/csv-text.js';
import type { GroupScope } from '../groups/groups.js';
import { ImportInputError, NO_ROWS } from './import-file.js';
import { asWaiting, type ListedContact, openCsv, readAllRows } from './job-rows.js';
import { insertImport } from './job-store.js';

/** The statuses that an import may have. */
export { ImportStatus } from '../../../platform/generated/prisma/enums.js';

/** Imports of a channel that are not done. */
export const MAX_WAITING_IMPORTS = 20;

/** An import as the interface shows it; its input is not read. */
export type ImportJob = Omit<ContactImportJob, 'input'>;

export interface ImportJobOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'contactGroup' | 'contactImportJob'>;
  clock: Clock;
}

export interface ImportRequest {
  input: { csv: string; delimiter?: string } | { contacts: readonly ListedContact[] };
  /** How numbers without a plus sign are read; null: digits with country code, as everywhere in the API. */
  country: NumbersWithoutPlus;
  /** Of the channel. */
  kind: ChannelKind;
  /** All contacts of the import become members of it, those that the channel had included. */
  groupId: string | null;
  /** Names and addresses of contacts that the channel has are replaced; empty ones change nothing. */
  update: boolean;
}

/**
 * Takes contacts that are to be imported in the background: see ContactImporter.
 * @throws {AppError} INVALID_REQUEST for CSV without a header that names the columns, NOT_FOUND for an unknown group,
 * CONFLICT while the channel has too many imports that are not done
 */
export async function startImport(
  { pool, prisma, clock }: ImportJobOptions,
  scope: GroupScope,
  { input, country, kind, groupId, update }: ImportRequest,
): Promise<ImportJob> {
  const columns = 'csv' in input ? await requireRows(input, kind) : [];
  if (groupId && !(await prisma.contactGroup.findFirst({ where: { id: groupId, ...scope }, select: { id: true } }))) {
    throw new AppError('NOT_FOUND', 'There is no group with this groupId.');
  }
  const stored = await storedInput(input, { country, kind });
  const id = newId();
  const made = { id, ...scope, groupId, update, columns, ...stored, at: clock.now() };
  if (!(await insertImport(pool, made, MAX_WAITING_IMPORTS))) {
    throw new AppError('CONFLICT', `The channel has ${MAX_WAITING_IMPORTS} imports that are not done.`);
  }
  return (await readImportJob({ prisma }, scope, id)) as ImportJob;
}

/**
 * What is kept until the import. Where numbers are read by a country, they are read now: a server of a version that knows
 * no countries may be the one that imports them.
 */
async function storedInput(input: ImportRequest['input'], { country, kind }: Pick<ImportRequest, 'country' | 'kind'>) {
  if (country === null) {
    if ('contacts' in input) return { delimiter: null, input: JSON.stringify(input.contacts) };
    const { delimiter, start } = layoutOf(input.csv, input.delimiter);
    return { delimiter, input: storable(input.csv.slice(start)) };
  }
  const waiting = (await readAllRows(input, { kind, country })).map(asWaiting);
  return { delimiter: null, input: JSON.stringify(waiting) };
}

/** CSV as PostgreSQL can store it: what it cannot is replaced by what refuses its row. In JSON it is escaped. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Null when the channel has no such import. */
export function readImportJob(
  { prisma }: { prisma: Pick<PrismaClient, 'contactImportJob'> },
  { accountId, channelId }: GroupScope,
  id: string,
): Promise<ImportJob | null> {
  return prisma.contactImportJob.findFirst({ where: { id, accountId, channelId }, omit: { input: true } });
}

/** The names of the columns of CSV that has a row below them. */
async function requireRows(
  { csv, delimiter }: { csv: string; delimiter?: string },
  kind: ChannelKind,
): Promise<string[]> {
  try {
    const { header, rows } = await openCsv(csv, delimiter, { country: DIGITS_ONLY, kind });
    const iterator = rows[Symbol.asyncIterator]();
    const { done } = await iterator.next();
    await iterator.return?.();
    if (done) throw new ImportInputError(NO_ROWS);
    return header.map(storable);
  } catch (error) {
    if (!(error instanceof ImportInputError)) throw error;
    throw invalidField('csv', `cannot be read: ${error.message}`);
  }
}
