import { setTimeout as pause } from 'node:timers/promises';
import { inAccountTransaction } from '../../accounts/account-transaction.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Person } from './person.js';
import type { ErasureOptions } from './place.js';
import { cancelThese, countWaitingCallbacks, findToSend, findWaitingImports } from './under-way-store.js';

const LOOK_EVERY_MS = 250;

/** What would bring the number back if it were erased now. */
export interface UnderWay {
  /** Ids of messages to the number that wait to be sent, or are just being sent. */
  messages: string[];
  /** Ids of imports whose input names the number. */
  imports: string[];
  /** Reports of carriers that name the number and are not worked off. */
  callbacks: number;
}

/** What is under way to or about a person. */
export async function findUnderWay({ pool }: Pick<ErasureOptions, 'pool'>, person: Person): Promise<UnderWay> {
  const messages: string[] = [];
  for (const accountId of person.accountIds) messages.push(...(await findToSend(pool, accountId, person.phone)));
  return {
    messages,
    imports: await findWaitingImports(pool, person),
    callbacks: await countWaitingCallbacks(pool, person.phone),
  };
}

/**
 * Cancels and refunds what waits to be sent to a person, and waits for what a carrier has in hand and for what is being
 * read in.
 * @returns how many messages it canceled
 * @throws {AppError} CONFLICT when something is still under way after `waitMs`
 */
export async function endUnderWay(options: ErasureOptions, person: Person, waitMs: number): Promise<number> {
  const deadline = performance.now() + waitMs;
  let canceled = 0;
  for (;;) {
    for (const accountId of person.accountIds) canceled += await cancelAll(options, accountId, person.phone);
    const left = await findUnderWay(options, person);
    const count = left.messages.length + left.imports.length + left.callbacks;
    if (count === 0) return canceled;
    if (performance.now() >= deadline) throw new AppError('CONFLICT', sentence(left));
    await pause(LOOK_EVERY_MS);
  }
}

async function cancelAll(options: ErasureOptions, accountId: string, phone: string): Promise<number> {
  const ids = await findToSend(options.pool, accountId, phone);
  if (ids.length === 0) return 0;
  return await inAccountTransaction(options, accountId, (client) =>
    cancelThese(client, { accountId, ids }, options.clock.now()),
  );
}

function sentence({ messages, imports, callbacks }: UnderWay): string {
  const parts = [
    messages.length > 0 &&
      `${many(messages.length, 'message')} to the number that a carrier may have taken (${messages.slice(0, 3).join(', ')})`,
    imports.length > 0 && `${many(imports.length, 'import')} that names it (${imports.slice(0, 3).join(', ')})`,
    callbacks > 0 && `${many(callbacks, 'report')} of a carrier that names it`,
  ].filter((part) => part !== false);
  return `nothing more is erased yet: under way is still ${parts.join(', and ')}. Run the command again once that has ended`;
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
