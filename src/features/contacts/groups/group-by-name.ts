import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { findGroupByName } from './group-store.js';
import { createGroup, type GroupScope } from './groups.js';

type GroupTable = Pick<PrismaClient, 'contactGroup' | '$queryRaw'>;

/**
 * Also finds a group with a similar name.
 * @throws {AppError} NOT_FOUND for unknown groups
 */
export async function requireGroup(prisma: GroupTable, channelId: string, name: string): Promise<string> {
  const id = await findGroupByName(prisma, channelId, name);
  if (id === null) throw new AppError('NOT_FOUND', `the channel has no group ${name}`);
  return id;
}

/**
 * @param name 1 to 200 characters.
 * @throws {AppError} INVALID_REQUEST if the name is empty or too long, or CONFLICT if another process is creating the
 * group
 */
export async function findOrCreateGroup(
  { prisma }: { prisma: GroupTable },
  scope: GroupScope,
  name: string,
  at: Date,
): Promise<string> {
  if (name.trim() === '' || name.length > 200) {
    throw new AppError('INVALID_REQUEST', 'the name of a group is 1 to 200 characters');
  }
  const existingId = await findGroupByName(prisma, scope.channelId, name);
  return existingId ?? (await createGroup({ prisma }, { ...scope, name, description: '', at })).id;
}
