import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { hashKey } from '../../keys.js';
import { normalizeOperatorName } from '../operators.js';
import { isToken, newToken } from '../tokens.js';

type LinkTables = Pick<PrismaClient, 'operator' | 'signInLink'>;

const HOUR_MS = 60 * 60 * 1000;

/** Default lifetime of a link, in hours. */
const LINK_HOURS = 24;

/** A one-time sign-in link. Only the hash of its token is stored, so it can be shown only once. */
export interface NewLink {
  token: string;
  expiresAt: Date;
}

/** Returns the address of a sign-in link. Browsers do not send the part after `#` to a server. */
export function buildSignInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/console/sign-in#token=${token}`;
}

/** Creates a one-time sign-in link. */
export async function createLink(
  prisma: Pick<LinkTables, 'signInLink'>,
  { operatorId, at, hours = LINK_HOURS }: { operatorId: string; at: Date; hours?: number },
): Promise<NewLink> {
  const token = newToken();
  const expiresAt = new Date(at.getTime() + hours * HOUR_MS);
  const data = { id: newId(), operatorId, tokenHash: hashKey(token), createdAt: at, expiresAt };
  await prisma.signInLink.create({ data });
  return { token, expiresAt };
}

/**
 * Does the same as `createLink`, by the operator's name.
 * @throws {AppError} NOT_FOUND for an unknown name, CONFLICT for an operator who is switched off
 */
export async function createLinkFor(
  prisma: LinkTables,
  name: string,
  now: Date,
): Promise<NewLink & { operator: { id: string; name: string } }> {
  const operator = await prisma.operator.findUnique({ where: { name: normalizeOperatorName(name) } });
  if (!operator) throw new AppError('NOT_FOUND', `there is no operator ${normalizeOperatorName(name)}`);
  if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
  const link = await createLink(prisma, { operatorId: operator.id, at: now });
  return { ...link, operator: { id: operator.id, name: operator.name } };
}

/** Returns the operator of an unused link; null if the link is unknown, used or deleted. */
export async function findLinkOperator(
  prisma: Pick<LinkTables, 'signInLink'>,
  token: string,
): Promise<{ id: string; name: string } | null> {
  if (!isToken(token)) return null;
  const where = { tokenHash: hashKey(token) };
  const link = await prisma.signInLink.findUnique({
    where,
    select: { operator: { select: { id: true, name: true } } },
  });
  return link?.operator ?? null;
}
