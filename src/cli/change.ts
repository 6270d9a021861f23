import { userInfo } from 'node:os';
import type pg from 'pg';
import { type ChangeStore, changing, inStages, type Stages, type ToldChange } from '../accounts/audit/change.js';
import type { Actor } from '../accounts/audit/line.js';
import type { Prisma } from '../platform/generated/prisma/client.js';
import type { CliContext } from './context.js';
import { withStore } from './store.js';

/** Who runs a command: the user of the operating system. */
export function cliActor(): Actor {
  return { kind: 'cli', name: userName() };
}

/**
 * Runs a command that changes something, and writes its line of the audit log, in one transaction: neither is there
 * without the other.
 * @param work run again after a deadlock; it reaches the store by the transaction alone
 * @param describe what was changed, from what came of it; null: nothing was after all. No secret may be in it
 */
export function withChange<T>(
  context: CliContext,
  work: (prisma: Prisma.TransactionClient, client: pg.PoolClient) => Promise<T>,
  describe: (result: T) => ToldChange | null,
): Promise<T> {
  return withStore(context, (prisma, _pool, held) =>
    changing({ prisma, held }, { actor: cliActor(), accountId: null }, async (change) => {
      const result = await work(change.prisma, change.client);
      return { result, told: describe(result) };
    }),
  );
}

/** What takes more than one transaction, as a part of a command that has its store already; see `inStages`. */
export function changeInStages<S, T>(store: ChangeStore, stages: Stages<S, T>): Promise<T> {
  return inStages(store, { actor: cliActor(), accountId: null }, stages);
}

/** A process may run as a user without a name, in a container for instance. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
