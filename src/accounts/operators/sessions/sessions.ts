import type { Clock } from '../../../platform/clock.js';
import type { OperatorSession, Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { hashKey } from '../../keys.js';
import type { LockedOperator } from '../locked-operator.js';
import type { Grant } from '../roles/roles.js';
import { generateToken, isToken } from '../tokens.js';
import { findSession, findSessionsByIds, type SessionRow, type SignInMethod } from './session-store.js';

/** Minimum time between updates of `lastSeenAt`, unless `SEEN_SHARE` of the idle timeout is shorter. */
const SEEN_INTERVAL_MS = 60_000;
const SEEN_SHARE = 0.1;
const MAX_USER_AGENT = 300;

export interface SignedIn {
  session: { id: string; way: SignInMethod | null; createdAt: Date; expiresAt: Date; confirmedAt: Date | null };
  operator: SignedInOperator;
}

export interface SignedInOperator {
  id: string;
  name: string;
  grants: Grant[];
}

export type ListedSession = Omit<OperatorSession, 'tokenHash' | 'way' | 'confirmedAt'> & {
  /** The sign-in method is null for sessions that were created before sign-in methods were recorded. */
  way: SignInMethod | null;
};

export type { SignInMethod };

export interface ClientInfo {
  address: string;
  userAgent: string | null;
}

export interface BrowserClient extends ClientInfo {
  /** Token of the browser's previous session, which the new session replaces. */
  token: string | undefined;
}

/** Only the hash of a session token is stored. */
export interface NewSession {
  id: string;
  token: string;
  expiresAt: Date;
}

export interface SessionsOptions {
  prisma: Pick<PrismaClient, 'operatorSession' | '$queryRaw'>;
  clock: Clock;
  idleMs: number;
  absoluteMs: number;
}

/** Sessions are not cached, so an ended session stops working immediately. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The caller must verify the operator's identity before creating a session. */
  async create(
    { prisma, row: { id: operatorId } }: LockedOperator,
    { address, userAgent }: ClientInfo,
    method: SignInMethod | null = null,
  ): Promise<NewSession> {
    const { clock, absoluteMs } = this.#options;
    const now = clock.now();
    const id = newId();
    const token = generateToken();
    const expiresAt = new Date(now.getTime() + absoluteMs);
    await prisma.operatorSession.create({
      data: {
        id,
        operatorId,
        tokenHash: hashKey(token),
        createdAt: now,
        lastSeenAt: now,
        expiresAt,
        address,
        userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        way: method,
      },
    });
    await prisma.operator.update({ where: { id: operatorId }, data: { lastSignedInAt: now } });
    return { id, token, expiresAt };
  }

  /** `isUse` is false for requests that a page sends automatically, because they must not keep the session alive. */
  async find(token: string | undefined, { isUse }: { isUse: boolean }): Promise<SignedIn | null> {
    if (!isToken(token)) return null;
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const row = await findSession(prisma, hashKey(token), now, new Date(now.getTime() - idleMs));
    if (!row) return null;
    const { id, lastSeenAt } = row;
    if (isUse && now.getTime() - lastSeenAt.getTime() >= Math.min(SEEN_INTERVAL_MS, idleMs * SEEN_SHARE)) {
      await prisma.operatorSession.updateMany({ where: { id }, data: { lastSeenAt: now } });
    }
    return toSignedIn(row);
  }

  /** Finds sessions by ID without extending their idle timeout. */
  async findByIds(ids: readonly string[]): Promise<Map<string, SignedIn>> {
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const rows = await findSessionsByIds(prisma, ids, now, new Date(now.getTime() - idleMs));
    return new Map(rows.map((row) => [row.id, toSignedIn(row)]));
  }

  /** Most recently used first. */
  async list(operatorId: string): Promise<ListedSession[]> {
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const rows = await prisma.operatorSession.findMany({
      where: { operatorId, expiresAt: { gt: now }, lastSeenAt: { gt: new Date(now.getTime() - idleMs) } },
      omit: { tokenHash: true, confirmedAt: true },
      orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
    });
    return rows.map(({ way, ...session }) => ({ ...session, way: way as SignInMethod | null }));
  }

  /** The browser's previous session may belong to a different operator. */
  async endReplaced(
    prisma: Prisma.TransactionClient,
    token: string | undefined,
  ): Promise<Pick<OperatorSession, 'id' | 'operatorId'> | null> {
    if (!isToken(token)) return null;
    const where = { tokenHash: hashKey(token) };
    const session = await prisma.operatorSession.findUnique({ where, select: { id: true, operatorId: true } });
    if (!session) return null;
    const { count } = await prisma.operatorSession.deleteMany({ where });
    return count > 0 ? session : null;
  }

  async end(prisma: Prisma.TransactionClient, operatorId: string, sessionId: string): Promise<boolean> {
    const { count } = await prisma.operatorSession.deleteMany({ where: { id: sessionId, operatorId } });
    return count > 0;
  }
}

function toSignedIn(row: SessionRow): SignedIn {
  const { id, way, createdAt, expiresAt, confirmedAt, operatorId, operatorName, grants } = row;
  return {
    session: { id, way, createdAt, expiresAt, confirmedAt },
    operator: { id: operatorId, name: operatorName, grants },
  };
}
