import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { isMissingRow, isUniqueViolation } from '../../../platform/store/prisma-errors.js';

export interface GroupOptions {
  prisma: Pick<PrismaClient, 'contactGroup'>;
}

export interface Group {
  id: string;
  name: string;
  description: string;
  contactCount: number;
  createdAt: Date;
}

export interface GroupScope {
  accountId: string;
  channelId: string;
}

const select = { id: true, name: true, description: true, contactCount: true, createdAt: true };

/** Newest first. */
export function listGroups({ prisma }: GroupOptions, { accountId, channelId }: GroupScope): Promise<Group[]> {
  return prisma.contactGroup.findMany({ where: { accountId, channelId }, orderBy: { id: 'desc' }, select });
}

/** Newest first. */
export async function listGroupPage(
  { prisma }: GroupOptions,
  { accountId, channelId }: GroupScope,
  { search = '', limit, before }: { search?: string; limit: number; before: string | null },
): Promise<{ groups: Group[]; next: string | null }> {
  const name =
    search === '' ? undefined : { contains: search.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
  const groups = await prisma.contactGroup.findMany({
    where: { accountId, channelId, name, ...(before && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    select,
  });
  const page = groups.slice(0, limit);
  return { groups: page, next: groups.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** Sorted by name. */
export function listGroupsOfContact(
  { prisma }: GroupOptions,
  { accountId, channelId }: GroupScope,
  contactId: string,
): Promise<Group[]> {
  const where = { accountId, channelId, members: { some: { contactId } } };
  return prisma.contactGroup.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }], select });
}

export function readGroup(
  { prisma }: GroupOptions,
  { accountId, channelId }: GroupScope,
  id: string,
): Promise<Group | null> {
  return prisma.contactGroup.findFirst({ where: { id, accountId, channelId }, select });
}

export async function lockGroup(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: GroupScope,
  id: string,
): Promise<Group | null> {
  await prisma.$queryRaw`SELECT 1 FROM contact_groups WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return readGroup({ prisma }, scope, id);
}

export interface NewGroup extends GroupScope {
  name: string;
  description: string;
  at: Date;
}

/** @throws {AppError} CONFLICT if the channel has a group whose name is the same except for case, spaces or accents */
export async function createGroup({ prisma }: GroupOptions, group: NewGroup): Promise<Group> {
  const { accountId, channelId, name, description, at } = group;
  const data = { id: newId(), accountId, channelId, name, description, createdAt: at, updatedAt: at };
  try {
    return await prisma.contactGroup.create({ data, select });
  } catch (error) {
    throw isUniqueViolation(error) ? createNameConflict() : error;
  }
}

export interface GroupChange {
  name?: string;
  description?: string;
  at: Date;
}

/** @throws {AppError} CONFLICT if another group has the same or a similar name */
export async function updateGroup(
  { prisma }: GroupOptions,
  { accountId, channelId }: GroupScope,
  id: string,
  { name, description, at }: GroupChange,
): Promise<Group | null> {
  const where = { id, accountId, channelId };
  const before = await prisma.contactGroup.findFirst({ where, select });
  if (!before || (name === undefined && description === undefined)) return before;
  // A group from an earlier version may keep a name similar to another group's until the name is changed.
  const nameChange = name === undefined || name === before.name ? {} : { name, sharesName: false };
  try {
    return await prisma.contactGroup.update({ where, data: { ...nameChange, description, updatedAt: at }, select });
  } catch (error) {
    if (isMissingRow(error)) return null;
    throw isUniqueViolation(error) ? createNameConflict() : error;
  }
}

function createNameConflict(): AppError {
  return new AppError(
    'CONFLICT',
    'The channel already has a group with this name. Case, spaces and the Unicode form of accents are ignored.',
  );
}
