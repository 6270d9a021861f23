import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { createGroup, type GroupScope } from './groups.js';

type GroupTable = Pick<PrismaClient, 'contactGroup'>;

/**
 * The id of the group that has this name in a channel.
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
  const group = await prisma.contactGroup.findFirst({ where: { channelId, name }, select: { id: true } });
  return group?.id ?? null;
}
