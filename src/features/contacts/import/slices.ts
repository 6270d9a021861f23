import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { ChannelKind, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { type Connection, within } from '../../../platform/store/within.js';
import { tooManyCells } from '../../../platform/text/csv-text.js';
import type { GroupScope } from '../groups/groups.js';
import { asWaiting, checkListed } from './job-rows.js';
import { type ImportJob, MAX_WAITING_IMPORTS, readImportJob } from './jobs.js';
import type { SlicedContact } from './slice-limits.js';
import { insertSlice, insertSlicedImport } from './slice-store.js';

export interface SliceOptions {
  pool: Connection;
  prisma: Pick<PrismaClient, 'contactGroup' | 'contactImportJob'>;
  clock: Clock;
}

export interface SlicedImportRequest {
  fileName: string | null;
  /** As of `startImport`. */
  groupId: string | null;
  update: boolean;
  slices: number;
  totalRows: number;
  /** The names of all columns of the file, and what stands between two cells: its refused rows come back so. */
  columns: readonly string[];
  delimiter: string | null;
}

/**
 * Announces an import whose rows come in slices; it begins once the last of them is there.
 * @throws {AppError} NOT_FOUND for an unknown group, CONFLICT while the channel has too many imports that are not done
 */
export async function announceImport(
  { pool, prisma, clock }: SliceOptions,
  scope: GroupScope,
  request: SlicedImportRequest,
): Promise<ImportJob> {
  const { groupId } = request;
  if (groupId && !(await prisma.contactGroup.findFirst({ where: { id: groupId, ...scope }, select: { id: true } }))) {
    throw new AppError('NOT_FOUND', 'There is no group with this groupId.');
  }
  const id = newId();
  if (!(await insertSlicedImport(pool, { id, ...scope, ...request, at: clock.now() }, MAX_WAITING_IMPORTS))) {
    throw new AppError('CONFLICT', `The channel has ${MAX_WAITING_IMPORTS} imports that are not done.`);
  }
  return (await readImportJob({ prisma }, scope, id)) as ImportJob;
}

/**
 * Takes a slice of an import. The same one may be handed in again, which changes nothing.
 * @param slice its `country` says how numbers without a plus sign are read; null: they are refused
 * @returns the import as it is now; null when the channel has no such import
 * @throws {AppError} INVALID_REQUEST for a position that the import does not have
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
    const moved = hasColumns && each.cells ? tooManyCells(each.cells, job.columns.length) : null;
    const given = moved === null ? each : { ...each, reason: moved };
    const { cells, ...rest } = { ...each, ...asWaiting(checkListed(given, each.row, reading)) };
    return hasColumns && each.cells ? { ...rest, cells } : rest;
  });
  await within(pool, (client) => insertSlice(client, { id, ...scope }, position, JSON.stringify(waiting)));
  return await readImportJob({ prisma }, scope, id);
}

/**
 * Forgets an import whose last slice has not come.
 * @returns whether the channel has such an import
 * @throws {AppError} CONFLICT once it has begun
 */
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
  throw new AppError('CONFLICT', 'The import has begun.');
}

/** A page of a channel's imports, the newest first, without their refused rows. */
export async function pageImports(
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
