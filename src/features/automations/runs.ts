import type pg from 'pg';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { findResultId, reserveKey } from '../../accounts/idempotency/idempotency-store.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { type AutomationRun, type Prisma, RunStatus } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, within } from '../../platform/store/within.js';
import { makeParty } from '../conversations/parties.js';
import { getAutomation, type Scope } from './automations.js';
import { holdContact, insertRun } from './begin-store.js';
import { neededVariables, type Step } from './steps.js';

export type { AutomationRun };

/** What a run is to those who ask: the store keeps beside the status that it was canceled. */
export type RunState = RunStatus | 'canceled';

/** The states that a run may have. */
export const RUN_STATES: readonly RunState[] = [...Object.values(RunStatus), 'canceled'];

/** The state of a run as it is stored. */
export function stateOf({ status, canceledAt }: Pick<AutomationRun, 'status' | 'canceledAt'>): RunState {
  return canceledAt ? 'canceled' : status;
}

/** Whom a run is for: a contact of the channel by its id, or by a number or a user id whose contact is made when it is new. */
export type RunContact = { contactId: string } | { phone: string } | { userId: string };

/** What begins a run. */
export interface RunStart {
  contact: RunContact;
  variables: Readonly<Record<string, string>>;
  concurrent: boolean;
}

/**
 * Starts a run; a runner does its first step within moments.
 * @param start `concurrent`: whether it may begin while another run of the automation for the contact is under way
 * @returns the run, and whether an earlier request with the same idempotency key started it
 * @throws {AppError} NOT_FOUND for an unknown automation or contact; INVALID_REQUEST naming each variable that its steps
 * need and that is not given; CONFLICT when the automation is switched off, or another run of it for the contact is under
 * way; IDEMPOTENCY_MISMATCH
 */
export async function triggerAutomation(
  { pool, prisma, clock }: { pool: Connection; prisma: Prisma.TransactionClient; clock: Clock },
  scope: Scope,
  automationId: string,
  { contact, variables, concurrent }: RunStart,
  claim: IdempotencyKey | null,
): Promise<{ run: AutomationRun; replayed: boolean }> {
  const now = clock.now();
  const find = (id: string) => prisma.automationRun.findFirst({ where: { id, ...scope } });
  const made = claim && (await findResultId(pool, scope.accountId, claim, now));
  if (made) return { run: requireRun(await find(made)), replayed: true };

  const automation = await getAutomation({ prisma }, scope, automationId);
  if (!automation.isActive) throw new AppError('CONFLICT', 'The automation is switched off.');
  const missing = neededVariables(automation.steps as Step[]).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) {
    throw invalidFields(missing.map((name) => ({ field: `variables.${name}`, rule: 'is needed by the steps' })));
  }

  const id = newId();
  const won = await within(pool, async (client) => {
    if (claim && !(await reserveKey(client, scope.accountId, claim, id, now))) return false;
    const contactId = await idOf(client, scope, contact, now);
    const run = { id, ...scope, automationId, contactId, variables, concurrent, now };
    if (!(await insertRun(client, run))) {
      throw new AppError('CONFLICT', 'A run of the automation for the contact is under way.');
    }
    return true;
  });
  const standing = won ? id : await findResultId(pool, scope.accountId, claim as IdempotencyKey, now);
  return { run: requireRun(await find(standing as string)), replayed: !won };
}

/**
 * The id of the contact that a run is for, which stays until the transaction ends.
 * @throws {AppError} NOT_FOUND for an unknown contact
 */
async function idOf(client: pg.PoolClient, scope: Scope, contact: RunContact, now: Date): Promise<string> {
  if (!('contactId' in contact)) {
    const address = 'phone' in contact ? contact.phone : contact.userId;
    return (await makeParty(client, scope, address, now, { lock: true })).contactId;
  }
  const id = await holdContact(client, { ...scope, contactId: contact.contactId });
  if (id === null) throw new AppError('NOT_FOUND', 'There is no contact with this contactId.');
  return id;
}

/** A page of an automation's runs, the newest first. A status that does not exist finds none. */
export async function listRuns(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ runs: AutomationRun[]; total: number }> {
  await getAutomation({ prisma }, scope, automationId);
  const wanted = status === undefined ? {} : inState(status);
  if (wanted === null) return { runs: [], total: 0 };
  const where = { ...scope, automationId, ...wanted };
  const [total, runs] = await Promise.all([
    prisma.automationRun.count({ where }),
    prisma.automationRun.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  return { runs, total };
}

/** A run and the contact whom it is for. */
export type RunWithContact = AutomationRun & {
  contact: { phone: string | null; userId: string | null; username: string | null; name: string };
};

/**
 * Runs of an automation that are older than one, the newest first. A status that does not exist finds none.
 * @throws {AppError} NOT_FOUND when the channel has no such automation
 */
export async function pageOfRuns(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<RunWithContact[]> {
  await getAutomation({ prisma }, scope, automationId);
  const wanted = status === undefined ? {} : inState(status);
  if (wanted === null) return [];
  const where = { ...scope, automationId, ...wanted, ...(before !== null && { id: { lt: before } }) };
  const contact = { select: { phone: true, userId: true, username: true, name: true } };
  return prisma.automationRun.findMany({ where, orderBy: { id: 'desc' }, take: limit, include: { contact } });
}

/** @throws {AppError} NOT_FOUND when the automation has no such run */
export async function getRun(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  id: string,
): Promise<RunWithContact> {
  const contact = { select: { phone: true, userId: true, username: true, name: true } };
  const run = await prisma.automationRun.findFirst({ where: { id, automationId, ...scope }, include: { contact } });
  if (!run) throw new AppError('NOT_FOUND', 'There is no run with this id.');
  return run;
}

/** A run vanishes with its contact or its automation. */
function requireRun(run: AutomationRun | null): AutomationRun {
  if (!run) throw new AppError('NOT_FOUND', 'The run was deleted with its contact or its automation.');
  return run;
}

/** What finds the runs of a state; null when there is no such state. */
function inState(text: string): Prisma.AutomationRunWhereInput | null {
  const state = RUN_STATES.find((each) => each === text.toLowerCase());
  if (!state) return null;
  return state === 'canceled' ? { canceledAt: { not: null } } : { status: state, canceledAt: null };
}
