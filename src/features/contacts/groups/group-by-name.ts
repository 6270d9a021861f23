import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { createGroup, type GroupScope } from './groups.js';

type GroupTable = Pick<PrismaClient, 'contactGroup'>;

/**
 * The id of the group that has this name in a channel, if need be in another case.
 * @throws {AppError} NOT_FOUND when the channel has none of this name
 */
export async function requireGroup(prisma: GroupTable, channelId: string, name: string): Promise<string> {
  const id = await findGroup(prisma, channelId, name);
  if (id === null) throw new AppError('NOT_FOUND', `the channel has no group ${name}`);
  return id;
}

/**
 * The id of the group that has this name in a channel, which is made where it is missing.
 * @param name 1 to 200 characters
 * @throws {AppError} INVALID_REQUEST for a name that is empty or too long, CONFLICT when another process makes the group
 * at the same moment
 */
export async function findOrCreateGroup(
  { prisma }: { prisma: GroupTable },
  scope: GroupScope,
  name: string,
): Promise<string> {
  if (name.trim() === '' || name.length > 200) {
    throw new AppError('INVALID_REQUEST', 'the name of a group is 1 to 200 characters');
  }
  const found = await findGroup(prisma, scope.channelId, name);
  return found ?? (await createGroup({ prisma }, { ...scope, name, description: '', at: new Date() })).id;
}

async function findGroup(prisma: GroupTable, channelId: string, name: string): Promise<string | null> {
  const select = { id: true, name: true };
  const group = await prisma.contactGroup.findFirst({ where: { channelId, name }, select });
  if (group) return group.id;
  const where = { channelId, name: { equals: name, mode: 'insensitive' as const } };
  const alike = await prisma.contactGroup.findMany({ where, select, orderBy: { id: 'asc' } });
  // Prisma compares by ILIKE, to which some characters mean more than themselves.
  return alike.find((each) => each.name.toLowerCase() === name.toLowerCase())?.id ?? null;
}
