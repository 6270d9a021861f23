import type pg from 'pg';
import { DIGITS_ONLY, type NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { ChannelKind, ContactImportJob, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { detectLayout } from '../../../platform/text/csv-text.js';
import { type CustomColumns, findCustomColumns } from '../custom/columns.js';
import { type ImportMarks, prepareImport } from '../custom/field-columns.js';
import type { GroupScope } from '../groups/groups.js';
import { ImportInputError, NO_ROWS } from './import-file.js';
import { type ListedContact, openCsv, readAllRows, toWaitingContact } from './job-rows.js';
import { insertImport } from './job-store.js';

export { ImportStatus } from '../../../platform/generated/prisma/enums.js';

/** Maximum unfinished imports per channel. */
export const MAX_WAITING_IMPORTS = 20;

export type ImportJob = Omit<ContactImportJob, 'input'>;

export interface ImportJobOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'contactGroup' | 'contactImportJob'>;
  clock: Clock;
}

export interface ImportRequest extends ImportMarks {
  input: { csv: string; delimiter?: string } | { contacts: readonly ListedContact[] };
  /** If null, numbers are digits with country code, as elsewhere in the API. */
  country: NumbersWithoutPlus;
  kind: ChannelKind;
  /** Group that all contacts of the import join, including existing ones. */
  groupId: string | null;
  /** Empty fields change nothing. */
  update: boolean;
}

/**
 * @throws {AppError} INVALID_REQUEST for CSV without a header and for invalid tags or fields, NOT_FOUND for an unknown group, or CONFLICT if the
 * channel has too many unfinished imports
 */
export async function startImport(
  { pool, prisma, clock }: ImportJobOptions,
  scope: GroupScope,
  { input, country, kind, groupId, update, tags, fieldColumns = [] }: ImportRequest,
): Promise<ImportJob> {
  const columns = 'csv' in input ? await requireRows(input, kind) : [];
  if (groupId && !(await prisma.contactGroup.findFirst({ where: { id: groupId, ...scope }, select: { id: true } }))) {
    throw notFound('group', 'groupId');
  }
  if (fieldColumns.length > 0 && !('csv' in input)) throw invalidField('fieldColumns', 'is only for csv and csvBase64');
  const at = clock.now();
  const marks = { tags, fieldColumns };
  const prepared = await prepareImport(pool, scope.accountId, marks, { header: columns, at });
  const custom = 'csv' in input ? await findCustomColumns(pool, scope.accountId, prepared.columns) : {};
  const stored = await toStoredInput(input, { country, kind, custom });
  const id = newId();
  const options = { groupId, update, columns, tags: prepared.tags, fieldColumns: custom };
  const row = { id, ...scope, ...options, ...stored, at };
  if (!(await insertImport(pool, row, MAX_WAITING_IMPORTS))) {
    throw new AppError('CONFLICT', `The channel has ${MAX_WAITING_IMPORTS} unfinished imports.`);
  }
  return (await readImportJob({ prisma }, scope, id)) as ImportJob;
}

/** Parses numbers immediately if a country is given, because a server of an older version may run the import. */
async function toStoredInput(
  input: ImportRequest['input'],
  { country, kind, custom }: Pick<ImportRequest, 'country' | 'kind'> & { custom: CustomColumns },
) {
  if (country === null) {
    if ('contacts' in input) return { delimiter: null, input: JSON.stringify(input.contacts) };
    const { delimiter, start } = detectLayout(input.csv, input.delimiter);
    return { delimiter, input: toStorableText(input.csv.slice(start)) };
  }
  const waitingContacts = (await readAllRows(input, { kind, country, custom })).map(toWaitingContact);
  return { delimiter: null, input: JSON.stringify(waitingContacts) };
}

/** Replaces characters that PostgreSQL cannot store with U+FFFD, so that their rows are refused. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

export function readImportJob(
  { prisma }: { prisma: Pick<PrismaClient, 'contactImportJob'> },
  { accountId, channelId }: GroupScope,
  id: string,
): Promise<ImportJob | null> {
  return prisma.contactImportJob.findFirst({ where: { id, accountId, channelId }, omit: { input: true } });
}

/**
 * @returns The column names.
 * @throws {AppError} INVALID_REQUEST for missing rows
 */
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
    return header.map(toStorableText);
  } catch (error) {
    if (!(error instanceof ImportInputError)) throw error;
    throw invalidField('csv', `cannot be read: ${error.message}`);
  }
}
