import type pg from 'pg';
import { readFrequencyCap } from '../../accounts/frequency-cap.js';
import { findWatch, isGuarded } from '../../accounts/guard/guard.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import type { Turns } from '../../platform/turns.js';
import type { SendRequest } from '../compose/send-request.js';
import { checkDestinations } from './guard/destinations.js';
import { listLimits } from './guard/limits.js';
import type { PendingRequest } from './pending-request.js';
import type { Pricing } from './pricing.js';
import { countPartsPerMessage, measureStoredBytes } from './volume.js';

export interface PrepareOptions {
  clock: Clock;
  turns: Turns;
  pricing: Pricing;
  routing: Pick<Routing, 'isEmpty' | 'findCarriers'>;
  validitySeconds: number;
}

/**
 * @param client connection of the caller's transaction, if any
 * @throws {AppError} DESTINATION_REFUSED by the guard of the account or key; INVALID_REQUEST if the text is too long
 *   for a message or a commit
 */
export async function prepareSend(
  options: PrepareOptions,
  request: SendRequest,
  client?: pg.PoolClient,
): Promise<PendingRequest> {
  if (isGuarded(request.account)) await checkDestinations(request, options.turns);
  const parts = countPartsPerMessage(request);
  const storedBytes = measureStoredBytes(request);
  const prices = await options.pricing.price(request, parts, client);
  const acceptedAt = options.clock.now();
  const { scheduledAt = acceptedAt, validitySeconds = options.validitySeconds } = request;
  return {
    request,
    acceptedAt,
    validUntil: request.validUntil ?? new Date(scheduledAt.getTime() + validitySeconds * 1000),
    parts,
    ids: await options.turns.map(request.recipients, newId),
    prices,
    carriers: await routeRecipients(options, request),
    charge: prices.reduce((sum, price) => sum + price, 0n),
    storedBytes,
    limits: listLimits(request.account),
    watch: findWatch(request.account),
    frequencyCap: request.purpose === 'marketing' ? readFrequencyCap(request.account.frequencyCap) : null,
  };
}

/** Returns null if no recipient has a carrier route. */
async function routeRecipients(
  { routing, turns }: PrepareOptions,
  { kind, account, sender, recipients }: SendRequest,
): Promise<(string | null)[] | null> {
  if (kind !== 'sms' || routing.isEmpty) return null;
  const carriers = await turns.map(
    recipients,
    ({ digits }) => routing.findCarriers({ accountId: account.id, recipient: digits, sender })?.[0] ?? null,
  );
  return carriers.some(Boolean) ? carriers : null;
}
