import type pg from 'pg';
import { toOptOutSender } from '../../messages/send/checks/opted-out.js';
import { invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { inSharedTransaction, type Transaction } from '../../platform/store/transaction.js';
import { listAddressesOfPerson, type OptOutPerson } from '../opt-outs/addresses.js';
import {
  CONSENT_PURPOSES,
  type ConsentDecision,
  type ConsentPurpose,
  type ConsentScope,
  type CurrentConsent,
  readCurrentConsents,
} from '../opt-outs/ledger/ledger-store.js';
import { recordConsent } from '../opt-outs/ledger/record-consent.js';
import { emitOptOutEvent, findOptOutParty } from '../opt-outs/opt-out-events.js';
import { applyConsent, readActiveOptOut } from './consent-opt-outs.js';
import { type ConsentEntry, type ConsentFilter, countConsents, readConsents } from './entries-store.js';

/** Tolerated difference between the clocks of the caller and the server. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** The channel whose number the person receives messages from. */
export interface ConsentChannel {
  id: string;
  accountId: string;
  kind: 'sms' | 'whatsapp';
  phoneNumber: string;
}

export function toChannelScope(channel: ConsentChannel): ConsentScope {
  return { accountId: channel.accountId, kind: channel.kind, sender: toOptOutSender(channel) };
}

export interface NewConsent extends Omit<ConsentDecision, 'purposes' | 'decidedAt'> {
  person: OptOutPerson;
  purpose: ConsentPurpose;
  /** Default: now. */
  decidedAt?: Date;
}

export interface ActiveOptOut {
  scope: 'all' | 'marketing';
  since: Date;
}

/** An entry, and the opt-out that blocks messages of its purpose in spite of it. */
export interface RecordedEntry {
  entry: ConsentEntry;
  optOut: ActiveOptOut | null;
}

/**
 * Adds an entry to the ledger. A withdrawal also opts the person out: of marketing, or of all messages if the purpose is
 * transactional. A grant lifts an opt-out only if an operator entered it.
 * @throws {AppError} INVALID_REQUEST for a malformed number or a time in the future; NOT_FOUND for an unknown contact
 */
export async function addConsent(
  { prisma, client }: Pick<Transaction, 'prisma' | 'client'>,
  channel: ConsentChannel,
  { person, purpose, decidedAt: requestedTime, ...decision }: NewConsent,
  now: Date,
): Promise<RecordedEntry> {
  const decidedAt = readDecisionTime(requestedTime, now);
  const { accountId } = channel;
  const addresses = await findAddresses(prisma, channel, person);
  const scope = toChannelScope(channel);
  const recipient = await findOptOutParty(client, { ...scope, addresses });
  const party = { ...recipient, accountId, channelId: channel.id };
  // A withdrawal of transactional consent opts out of everything, so it withdraws both.
  const purposes = decision.isGranted || purpose === 'marketing' ? [purpose] : CONSENT_PURPOSES;
  const change = { purpose, isGranted: decision.isGranted, isByOperator: decision.source === 'operator', decidedAt };
  const changed = await applyConsent(client, { ...scope, addresses }, change);
  const ids = await recordConsent(client, party, addresses, {
    decision: { ...decision, purposes, decidedAt },
    at: now,
  });
  if (changed) {
    const source = decision.source === 'operator' ? 'operator' : 'api';
    await emitOptOutEvent(client, { ...party, ...changed, source, at: decidedAt });
  }
  const [entry] = await readConsents(client, scope, { id: ids[purposes.indexOf(purpose)] }, { limit: 1, offset: 0 });
  const optOut = await readActiveOptOut(client, { ...scope, addresses });
  return { entry: entry as ConsentEntry, optOut: ifBlocks(optOut, purpose) };
}

export function createConsent(
  { prisma }: { prisma: PrismaClient },
  channel: ConsentChannel,
  consent: NewConsent,
  now: Date,
): Promise<RecordedEntry> {
  return inSharedTransaction(prisma, (transaction) => addConsent(transaction, channel, consent, now));
}

function readDecisionTime(requested: Date | undefined, now: Date): Date {
  if (requested === undefined) return now;
  if (requested.getTime() > now.getTime() + CLOCK_DIFFERENCE_MS)
    throw invalidField('decidedAt', 'must not be in the future');
  return requested < now ? requested : now;
}

/** Returns the opt-out if it blocks messages of the purpose. */
function ifBlocks(optOut: ActiveOptOut | null, purpose: ConsentPurpose): ActiveOptOut | null {
  return optOut && (optOut.scope === 'all' || purpose === 'marketing') ? optOut : null;
}

export interface PersonConsent {
  purpose: ConsentPurpose;
  /** Null if the ledger has no decision. */
  current: CurrentConsent | null;
  optOut: ActiveOptOut | null;
}

/**
 * Reads what counts for a person, one entry per purpose.
 * @throws {AppError} as `addConsent`
 */
export async function readPersonConsents(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  channel: ConsentChannel,
  person: OptOutPerson,
): Promise<PersonConsent[]> {
  const addresses = await findAddresses(prisma, channel, person);
  const scope = toChannelScope(channel);
  const current = await readCurrentConsents(pool, scope, addresses);
  const optOut = await readActiveOptOut(pool, { ...scope, addresses });
  return CONSENT_PURPOSES.map((purpose) => ({
    purpose,
    current: current.find((each) => each.purpose === purpose) ?? null,
    optOut: ifBlocks(optOut, purpose),
  }));
}

function findAddresses(
  prisma: Transaction['prisma'],
  channel: ConsentChannel,
  person: OptOutPerson,
): Promise<string[]> {
  const { accountId, id, kind } = channel;
  return listAddressesOfPerson(prisma, { accountId, channelId: kind === 'whatsapp' ? id : null }, person);
}

/**
 * Lists the entries about a channel's messages, newest first.
 * @throws {AppError} as `addConsent`, for the filter by person
 */
export async function listConsents(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  channel: ConsentChannel,
  { person, ...filter }: Omit<ConsentFilter, 'addresses' | 'id'> & { person?: OptOutPerson },
  page: { limit: number; offset: number },
): Promise<{ consents: ConsentEntry[]; total: number }> {
  const addresses = person && (await findAddresses(prisma, channel, person));
  const scope = toChannelScope(channel);
  const complete = { ...filter, addresses };
  return {
    consents: await readConsents(pool, scope, complete, page),
    total: await countConsents(pool, scope, complete),
  };
}
