import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { countAttempt, forgiveAttempt } from './attempt-store.js';

/** How long failed attempts count, in milliseconds. */
const WINDOW_MS = 5 * 60_000;
/** Most of them for one name: 2,880 guesses a day. */
const PER_NAME = 10;
/** Most of them from one address, behind which there may be an office. */
const PER_ADDRESS = 30;

export interface AttemptOptions {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;
  clock: Clock;
}

/** Whose failures are counted: of a name and from an address, or from an address alone. */
interface Who {
  name?: string;
  address: string;
}

/**
 * Does what may fail because somebody guesses, unless there were too many failures for the name or from the address in the
 * last minutes. Attempts at the same time count before any is decided. The counts are in the store, for all processes.
 * @param work succeeds unless it throws
 * @throws {AppError} RATE_LIMITED for too many failures, and whatever `work` throws
 */
export async function limited<T>(options: AttemptOptions, who: Required<Who>, work: () => Promise<T>): Promise<T> {
  await countFailure(options, who);
  const done = await work();
  await forgive(options, who);
  return done;
}

/**
 * Counts what failed, or has not succeeded yet; see `forgive`.
 * @throws {AppError} RATE_LIMITED where there were too many
 */
export async function countFailure({ prisma, clock }: AttemptOptions, who: Who): Promise<void> {
  const now = clock.now();
  const endsAt = new Date(now.getTime() + WINDOW_MS);
  for (const { keyHash, most } of keysOf(who)) {
    const counted = await countAttempt(prisma, keyHash, { now, endsAt });
    if (counted.attempts > most) throw tooMany(counted.endsAt.getTime() - now.getTime());
  }
}

/** Takes back what `countFailure` counted, for it succeeded. */
export async function forgive({ prisma }: Pick<AttemptOptions, 'prisma'>, who: Who): Promise<void> {
  for (const { keyHash } of keysOf(who)) await forgiveAttempt(prisma, keyHash);
}

function keysOf({ name, address }: Who) {
  // The address first: one that is refused already counts against no name, and adds no rows.
  return [
    { keyHash: keyOf('address', networkOf(address)), most: PER_ADDRESS },
    ...(name === undefined ? [] : [{ keyHash: keyOf('name', name), most: PER_NAME }]),
  ];
}

function keyOf(kind: string, text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', `${kind} ${text}`, 'buffer'));
}

/** One network of IPv6 (/64) is one address: its owner could else use each of its addresses in turn. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

function tooMany(milliseconds: number): AppError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new AppError('RATE_LIMITED', 'Too many sign-ins have failed. Try again in some minutes.', [], {
    retryAfterSeconds: seconds,
  });
}
