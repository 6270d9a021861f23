import type pg from 'pg';
import { type OptOutSender, senderOf } from '../../messages/send/opted-out.js';
import { findOptedOut, liftOptOut, setOptOut } from './opt-out-store.js';

interface OptOutOptions {
  pool: pg.Pool;
}

/** A channel as a sender, and its account. */
export interface OptOutChannel extends OptOutSender {
  accountId: string;
}

/** Those of some numbers that want no messages from a channel. */
export async function optedOutOf(
  { pool }: OptOutOptions,
  channel: OptOutChannel,
  phones: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(await findOptedOut(pool, placeOf(channel), phones));
}

/**
 * Enters that a number wants no messages from a channel, or takes that back, as if it had written so at the moment; what
 * is so already stays as it is.
 */
export async function decideOptedOut(
  { pool }: OptOutOptions,
  channel: OptOutChannel,
  phone: string,
  { optedOut, at }: { optedOut: boolean; at: Date },
): Promise<void> {
  await (optedOut ? setOptOut : liftOptOut)(pool, { ...placeOf(channel), phone, at });
}

function placeOf(channel: OptOutChannel) {
  return { accountId: channel.accountId, kind: channel.kind, sender: senderOf(channel) };
}
