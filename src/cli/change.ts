import { userInfo } from 'node:os';
import type pg from 'pg';
import { type Actor, audit, type Change } from '../accounts/audit/audit-log.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import type { CliContext } from './context.js';
import { withStore } from './store.js';

/** What a command changed, as the audit log tells it: by the names of actions that the console has for the same. */
export type CliChange = Omit<Change, 'accountId'> & { accountId?: string | null };

/** Who runs a command: the user of the operating system. */
export function cliActor(): Actor {
  return { kind: 'cli', name: userName() };
}

/**
 * Runs a command that changes something, and writes a line of the audit log.
 * @param describe what was changed, from what came of it; no secret may be in it
 */
export function withChange<T>(
  context: CliContext,
  work: (prisma: PrismaClient, pool: pg.Pool) => Promise<T>,
  describe: (result: T) => CliChange,
): Promise<T> {
  return withStore(context, async (prisma, pool) => {
    const result = await work(prisma, pool);
    await audit(prisma, { accountId: null, ...describe(result), actor: cliActor() });
    return result;
  });
}

/** A process may run as a user without a name, in a container for instance. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
