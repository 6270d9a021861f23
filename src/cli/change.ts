import { userInfo } from 'node:os';
import type pg from 'pg';
import {
  type AuditEntryInput,
  type ChangeStages,
  type ChangeStore,
  makeChange,
  makeStagedChange,
} from '../accounts/audit/change.js';
import type { Actor } from '../accounts/audit/entry.js';
import type { Prisma } from '../platform/generated/prisma/client.js';
import type { CliContext } from './context.js';
import { withStore } from './store.js';

/** The operating system user who runs the command. */
export function cliActor(): Actor {
  return { kind: 'cli', name: userName() };
}

/**
 * @param work repeated after a deadlock, so it must use only the given transaction
 * @param describe returns the audit log entry, which must not contain a secret; null if nothing has changed
 */
export function withChange<T>(
  context: CliContext,
  work: (prisma: Prisma.TransactionClient, client: pg.PoolClient) => Promise<T>,
  describe: (result: T) => AuditEntryInput | null,
): Promise<T> {
  return withStore(context, (prisma, _pool, lockedAccounts) =>
    makeChange({ prisma, lockedAccounts }, { actor: cliActor(), accountId: null }, async (change) => {
      const result = await work(change.prisma, change.client);
      return { result, audit: describe(result) };
    }),
  );
}

/** See `makeStagedChange`. */
export function changeInStages<S, T>(store: ChangeStore, stages: ChangeStages<S, T>): Promise<T> {
  return makeStagedChange(store, { actor: cliActor(), accountId: null }, stages);
}

/** In a container, for example, the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
