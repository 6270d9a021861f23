import type { Clock } from '../../../platform/clock.js';
import type { OperatorSession, Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { hashKey } from '../../keys.js';
import type { HeldOperator } from '../held.js';
import type { Grant } from '../roles/roles.js';
import { isToken, newToken } from '../tokens.js';
import { findSession, findSessionsByIds, type SessionRow, type SignInWay } from './session-store.js';

/** `lastSeenAt` is written anew when it is older than this, in milliseconds, or than a tenth of what counts as idle. */
const SEEN_EVERY_MS = 60_000;
const SEEN_SHARE = 0.1;
/** Characters that are kept of what a browser says of itself. */
const MAX_USER_AGENT = 300;

/** Who is signed in. */
export interface SignedIn {
  session: { id: string; way: SignInWay | null; createdAt: Date; expiresAt: Date; confirmedAt: Date | null };
  operator: SignedInOperator;
}

export interface SignedInOperator {
  id: string;
  name: string;
  grants: Grant[];
}

/** A session as its operator sees it. */
export type ListedSession = Omit<OperatorSession, 'tokenHash' | 'way' | 'confirmedAt'> & {
  /** Null: it was begun before ways were noted. */
  way: SignInWay | null;
};

export type { SignInWay };

/** Where a session is begun. */
export interface Place {
  address: string;
  userAgent: string | null;
}

/** The browser in which somebody signs in. */
export interface Browser extends Place {
  /** Of the session that it has until then, if any: the new one takes its place. */
  token: string | undefined;
}

/** A session that has begun. Its token goes to the browser: only its hash is stored. */
export interface NewSession {
  id: string;
  token: string;
  expiresAt: Date;
}

export interface SessionsOptions {
  prisma: Pick<PrismaClient, 'operatorSession' | '$queryRaw'>;
  clock: Clock;
  /** After how many milliseconds without a request a session ends. */
  idleMs: number;
  /** After how many milliseconds it ends however much it is used. */
  absoluteMs: number;
}

/** Begins, finds and ends the sessions of operators. What ends one is obeyed at once: nothing is remembered. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Begins a session of an operator who has proved who they are; see `enter`. */
  async begin(
    { prisma, row: { id: operatorId } }: HeldOperator,
    { address, userAgent }: Place,
    way: SignInWay | null = null,
  ): Promise<NewSession> {
    const { clock, absoluteMs } = this.#options;
    const at = clock.now();
    const id = newId();
    const token = newToken();
    const expiresAt = new Date(at.getTime() + absoluteMs);
    await prisma.operatorSession.create({
      data: {
        id,
        operatorId,
        tokenHash: hashKey(token),
        createdAt: at,
        lastSeenAt: at,
        expiresAt,
        address,
        userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        way,
      },
    });
    await prisma.operator.update({ where: { id: operatorId }, data: { lastSignedInAt: at } });
    return { id, token, expiresAt };
  }

  /**
   * Who is signed in with a token; null for one of no session, or of one that has ended.
   * @param isUse whether somebody uses it now: what a page does by itself keeps no session
   */
  async find(token: string | undefined, { isUse }: { isUse: boolean }): Promise<SignedIn | null> {
    if (!isToken(token)) return null;
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const found = await findSession(prisma, hashKey(token), now, new Date(now.getTime() - idleMs));
    if (!found) return null;
    const { id, lastSeenAt } = found;
    if (isUse && now.getTime() - lastSeenAt.getTime() >= Math.min(SEEN_EVERY_MS, idleMs * SEEN_SHARE)) {
      await prisma.operatorSession.updateMany({ where: { id }, data: { lastSeenAt: now } });
    }
    return signedInBy(found);
  }

  /**
   * Finds the sessions with these IDs that have not ended, in one query. It does not count as using them.
   * @returns by session ID
   */
  async findByIds(ids: readonly string[]): Promise<Map<string, SignedIn>> {
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const found = await findSessionsByIds(prisma, ids, now, new Date(now.getTime() - idleMs));
    return new Map(found.map((row) => [row.id, signedInBy(row)]));
  }

  /** The sessions of an operator that have not ended, the one used last first. */
  async list(operatorId: string): Promise<ListedSession[]> {
    const { prisma, clock, idleMs } = this.#options;
    const now = clock.now();
    const found = await prisma.operatorSession.findMany({
      where: { operatorId, expiresAt: { gt: now }, lastSeenAt: { gt: new Date(now.getTime() - idleMs) } },
      omit: { tokenHash: true, confirmedAt: true },
      orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
    });
    return found.map(({ way, ...rest }) => ({ ...rest, way: way as SignInWay | null }));
  }

  /**
   * Ends the session whose place another takes in its browser, whoever it is of.
   * @returns whose it was; null where there was none
   */
  async endReplaced(
    prisma: Prisma.TransactionClient,
    token: string | undefined,
  ): Promise<Pick<OperatorSession, 'id' | 'operatorId'> | null> {
    if (!isToken(token)) return null;
    const where = { tokenHash: hashKey(token) };
    const found = await prisma.operatorSession.findUnique({ where, select: { id: true, operatorId: true } });
    if (!found) return null;
    const { count } = await prisma.operatorSession.deleteMany({ where });
    return count > 0 ? found : null;
  }

  /**
   * Ends a session of an operator.
   * @returns whether there was one
   */
  async endOf(prisma: Prisma.TransactionClient, operatorId: string, sessionId: string): Promise<boolean> {
    const { count } = await prisma.operatorSession.deleteMany({ where: { id: sessionId, operatorId } });
    return count > 0;
  }
}

function signedInBy(row: SessionRow): SignedIn {
  const { id, way, createdAt, expiresAt, confirmedAt, operatorId, operatorName, grants } = row;
  return {
    session: { id, way, createdAt, expiresAt, confirmedAt },
    operator: { id: operatorId, name: operatorName, grants },
  };
}
