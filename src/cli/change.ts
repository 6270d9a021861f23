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

export function cliActor(): Actor {
  return { kind: 'cli', name: userName() };
}

/**
 * Changes the store and writes the audit log entry that `describe` returns (null if nothing has changed). `work` must use only
 * its transaction, because it is repeated after a deadlock. The entry must not contain a secret.
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

/** Returns the user ID if the user has no name, as in some containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
