import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { requireAudiences } from '../../audiences/contact-filter.js';

/** Maximum numbers in a campaign's list of recipients. */
export const MAX_LISTED = 10_000;
/** Maximum groups, and maximum audiences, of a campaign. */
export const MAX_SOURCES = 20;

/** Where the recipients of a campaign come from. At least one is not empty. */
export interface RecipientSources {
  groupIds: readonly string[];
  audienceIds: readonly string[];
  /** Digits with country code, each number once. */
  phones: readonly string[];
}

/** Returns the sources as columns of `campaigns`. The members of an only group are not stored, but read from the group. */
export function toSourceColumns({ groupIds, audienceIds, phones }: RecipientSources) {
  const [first = null] = groupIds;
  const groupId = groupIds.length === 1 && audienceIds.length + phones.length === 0 ? first : null;
  return { groupId, groupIds, audienceIds, listedCount: phones.length };
}

/** @throws {AppError} NOT_FOUND for an unknown group or audience, or INVALID_REQUEST without any recipients */
export async function checkSources(
  { pool, prisma }: { pool: Connection; prisma: Prisma.TransactionClient },
  scope: { accountId: string; channelId: string },
  sources: RecipientSources,
): Promise<void> {
  const { groupIds, audienceIds, phones } = sources;
  if (groupIds.length + audienceIds.length + phones.length === 0) {
    throw invalidField('groupId', 'is required unless groupIds, audienceIds or recipients names someone');
  }
  const groups = await prisma.contactGroup.count({ where: { ...scope, id: { in: [...groupIds] } } });
  if (groups < groupIds.length) throw notFound('group', groupIds.length === 1 ? 'groupId' : 'groupIds');
  if (audienceIds.length > 0) await requireAudiences(pool, scope, audienceIds);
}
