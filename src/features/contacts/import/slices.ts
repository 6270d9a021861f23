import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { ChannelKind, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import { describeExtraCells } from '../../../platform/text/csv-text.js';
import { type ImportMarks, prepareImport } from '../custom/field-columns.js';
import type { GroupScope } from '../groups/groups.js';
import { checkListed, toWaitingContact } from './job-rows.js';
import { type ImportJob, MAX_WAITING_IMPORTS, readImportJob } from './jobs.js';
import type { SlicedContact } from './slice-limits.js';
import { insertSlice, insertSlicedImport } from './slice-store.js';

export interface SliceOptions {
  pool: Connection;
  prisma: Pick<PrismaClient, 'contactGroup' | 'contactImportJob'>;
  clock: Clock;
}

export interface SlicedImportRequest extends ImportMarks {
  fileName: string | null;
  groupId: string | null;
  update: boolean;
  slices: number;
  totalRows: number;
  columns: readonly string[];
  delimiter: string | null;
}

/** @throws {AppError} NOT_FOUND for an unknown group, or CONFLICT if the channel has too many unfinished imports */
export async function createSlicedImport(
  { pool, prisma, clock }: SliceOptions,
  scope: GroupScope,
  request: SlicedImportRequest,
): Promise<ImportJob> {
  const { groupId } = request;
  if (groupId && !(await prisma.contactGroup.findFirst({ where: { id: groupId, ...scope }, select: { id: true } }))) {
    throw notFound('group', 'groupId');
  }
  const id = newId();
  const at = clock.now();
  // The browser maps the columns itself and sends the values of each row by field.
  const { tags } = await prepareImport(pool, scope.accountId, request, { header: null, at });
  if (!(await insertSlicedImport(pool, { id, ...scope, ...request, tags, at }, MAX_WAITING_IMPORTS))) {
    throw new AppError('CONFLICT', `The channel has ${MAX_WAITING_IMPORTS} unfinished imports.`);
  }
  return (await readImportJob({ prisma }, scope, id)) as ImportJob;
}

/**
 * Storing the same slice again changes nothing.
 * @param slice `country` is the country of numbers without a plus sign, which are refused if `country` is null.
 * @throws {AppError} INVALID_REQUEST for invalid positions
 */
export async function addSlice(
  { pool, prisma }: SliceOptions,
  scope: GroupScope,
  id: string,
  {
    position,
    rows,
    ...reading
  }: { position: number; rows: readonly SlicedContact[]; country: NumbersWithoutPlus; kind: ChannelKind },
): Promise<ImportJob | null> {
  const job = await readImportJob({ prisma }, scope, id);
  if (!job) return null;
  if (job.slices === null || position >= job.slices) {
    throw invalidField('position', `must be below ${job.slices ?? 0}, the number of its slices`);
  }
  const hasColumns = job.columns.length > 0;
  const waiting = rows.map((each) => {
    const problem = hasColumns && each.cells ? describeExtraCells(each.cells, job.columns.length) : null;
    const contact = problem === null ? each : { ...each, reason: problem };
    const { cells, ...rest } = { ...each, ...toWaitingContact(checkListed(contact, each.row, reading)) };
    return hasColumns && each.cells ? { ...rest, cells } : rest;
  });
  await withTransaction(pool, (client) => insertSlice(client, { id, ...scope }, position, JSON.stringify(waiting)));
  return await readImportJob({ prisma }, scope, id);
}

/** @throws {AppError} CONFLICT if the import has started */
export async function discardImport(
  { prisma }: Pick<SliceOptions, 'prisma'>,
  scope: GroupScope,
  id: string,
): Promise<boolean> {
  const where = { id, ...scope };
  const { count } = await prisma.contactImportJob.deleteMany({
    where: { ...where, nextLook: null, completedAt: null },
  });
  if (count === 1) return true;
  if ((await prisma.contactImportJob.count({ where })) === 0) return false;
  throw new AppError('CONFLICT', 'The import has already started.');
}

/** Newest first. Omits refused rows. */
export async function listImportPage(
  { prisma }: Pick<SliceOptions, 'prisma'>,
  scope: GroupScope,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ imports: ImportJob[]; next: string | null }> {
  const rows = await prisma.contactImportJob.findMany({
    where: { ...scope, ...(before && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    omit: { input: true, refusedRows: true },
  });
  const imports = rows.slice(0, limit).map((row) => ({ ...row, refusedRows: [] }));
  return { imports, next: rows.length > limit ? (imports.at(-1)?.id ?? null) : null };
}
