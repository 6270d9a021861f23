import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { decrementAttempts, incrementAttempts } from './attempt-store.js';

const WINDOW_MS = 5 * 60_000;
/** Ten failed attempts in five minutes allow 2,880 guesses a day. */
const MAX_PER_NAME = 10;
/** The limit per IP address is higher than the limit per name, because a whole office may share an address. */
const MAX_PER_ADDRESS = 30;

export interface AttemptOptions {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;
  clock: Clock;
}

interface Source {
  name?: string;
  address: string;
}

/**
 * Counts sign-in attempts when they start, so that concurrent attempts cannot exceed the limit.
 * @throws {AppError} RATE_LIMITED
 */
export async function limitAttempts<T>(
  options: AttemptOptions,
  source: Required<Source>,
  work: () => Promise<T>,
): Promise<T> {
  await countAttempt(options, source);
  const result = await work();
  await forgiveAttempt(options, source);
  return result;
}

/** Counts a sign-in attempt as failed until `forgiveAttempt` is called. @throws {AppError} RATE_LIMITED */
export async function countAttempt({ prisma, clock }: AttemptOptions, source: Source): Promise<void> {
  const now = clock.now();
  const endsAt = new Date(now.getTime() + WINDOW_MS);
  for (const { keyHash, limit } of buildCounters(source)) {
    const counter = await incrementAttempts(prisma, keyHash, { now, endsAt });
    if (counter.attempts > limit) throw createRateLimitError(counter.endsAt.getTime() - now.getTime());
  }
}

export async function forgiveAttempt({ prisma }: Pick<AttemptOptions, 'prisma'>, source: Source): Promise<void> {
  for (const { keyHash } of buildCounters(source)) await decrementAttempts(prisma, keyHash);
}

function buildCounters({ name, address }: Source) {
  // The address comes first, so that an attempt that exceeds the address limit adds no row for the name.
  return [
    { keyHash: hashCounterKey('address', toNetwork(address)), limit: MAX_PER_ADDRESS },
    ...(name === undefined ? [] : [{ keyHash: hashCounterKey('name', name), limit: MAX_PER_NAME }]),
  ];
}

function hashCounterKey(kind: string, text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', `${kind} ${text}`, 'buffer'));
}

/** An IPv6 /64 network counts as a single address, because one person can usually use all its addresses. */
function toNetwork(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

function createRateLimitError(milliseconds: number): AppError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new AppError('RATE_LIMITED', 'Too many failed sign-ins. Try again in a few minutes.', [], {
    retryAfterSeconds: seconds,
  });
}
