import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { hashKey } from '../../keys.js';
import { normalizeOperatorName } from '../operators.js';
import { generateToken, isToken } from '../tokens.js';

type LinkTables = Pick<PrismaClient, 'operator' | 'signInLink'>;

const HOUR_MS = 60 * 60 * 1000;

const LINK_HOURS = 24;

/** Only the hash of a sign-in link's token is stored. */
export interface NewLink {
  token: string;
  expiresAt: Date;
}

/** The token follows a `#`, because browsers do not send the fragment of a URL to the server. */
export function buildSignInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/console/sign-in#token=${token}`;
}

export async function createLink(
  prisma: Pick<LinkTables, 'signInLink'>,
  { operatorId, at, hours = LINK_HOURS }: { operatorId: string; at: Date; hours?: number },
): Promise<NewLink> {
  const token = generateToken();
  const expiresAt = new Date(at.getTime() + hours * HOUR_MS);
  const data = { id: newId(), operatorId, tokenHash: hashKey(token), createdAt: at, expiresAt };
  await prisma.signInLink.create({ data });
  return { token, expiresAt };
}

/** @throws {AppError} NOT_FOUND, CONFLICT */
export async function createLinkByName(
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

/** Returns null if the sign-in link is unknown or was already used. */
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
