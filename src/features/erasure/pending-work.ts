import { setTimeout as pause } from 'node:timers/promises';
import { inAccountTransaction } from '../../accounts/account-transaction.js';
import { AppError } from '../../platform/errors/app-error.js';
import {
  cancelMessages,
  countUnprocessedReports,
  findPendingImports,
  findUnsentMessages,
} from './pending-work-store.js';
import type { Person } from './person.js';
import type { ErasureOptions } from './trace.js';

const CHECK_INTERVAL_MS = 250;

/** Work that would write the person's address again after an erasure. */
export interface PendingWork {
  messages: string[];
  imports: string[];
  reports: number;
}

export async function findPendingWork({ pool }: Pick<ErasureOptions, 'pool'>, person: Person): Promise<PendingWork> {
  const messages: string[] = [];
  for (const accountId of person.accountIds) {
    messages.push(...(await findUnsentMessages(pool, accountId, person.address)));
  }
  return {
    messages,
    imports: await findPendingImports(pool, person),
    reports: await countUnprocessedReports(pool, person.address),
  };
}

/**
 * Cancels queued messages, waits for work that cannot be canceled, and returns the number of canceled messages.
 * @throws {AppError} CONFLICT if work is still pending after `waitMs`
 */
export async function cancelPendingWork(options: ErasureOptions, person: Person, waitMs: number): Promise<number> {
  const deadline = performance.now() + waitMs;
  let canceled = 0;
  for (;;) {
    for (const accountId of person.accountIds) canceled += await cancelQueued(options, accountId, person.address);
    const pending = await findPendingWork(options, person);
    const count = pending.messages.length + pending.imports.length + pending.reports;
    if (count === 0) return canceled;
    if (performance.now() >= deadline) throw new AppError('CONFLICT', describePending(pending));
    await pause(CHECK_INTERVAL_MS);
  }
}

async function cancelQueued(options: ErasureOptions, accountId: string, address: string): Promise<number> {
  const ids = await findUnsentMessages(options.pool, accountId, address);
  if (ids.length === 0) return 0;
  return await inAccountTransaction(options, accountId, (client) =>
    cancelMessages(client, { accountId, ids }, options.clock.now()),
  );
}

function describePending({ messages, imports, reports }: PendingWork): string {
  const parts = [
    messages.length > 0 &&
      `${pluralize(messages.length, 'message')} that a carrier may have accepted (${messages.slice(0, 3).join(', ')})`,
    imports.length > 0 && `${pluralize(imports.length, 'import')} with the number (${imports.slice(0, 3).join(', ')})`,
    reports > 0 && `${pluralize(reports, 'carrier report')} with the number`,
  ].filter((part) => part !== false);
  return `erasing has stopped because of unfinished work: ${parts.join(', and ')}. Run the command again when that has finished`;
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
