import type pg from 'pg';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { findResultId, reserveKey } from '../../accounts/idempotency/idempotency-store.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, notFound } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { type AutomationRun, type Prisma, RunStatus } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { findOrCreateParty } from '../conversations/parties.js';
import { getAutomation, type Scope } from './automations.js';
import { insertRun, lockContact } from './start-store.js';
import { listRequiredVariables, type Step } from './steps.js';

export type { AutomationRun };

/** The database stores a canceled run as `failed`, with `canceled_at` set. */
export type RunState = RunStatus | 'canceled';

export const RUN_STATES: readonly RunState[] = [...Object.values(RunStatus), 'canceled'];

export function getRunState({ status, canceledAt }: Pick<AutomationRun, 'status' | 'canceledAt'>): RunState {
  return canceledAt ? 'canceled' : status;
}

/** A contact is created if none has the given phone number or user ID. */
export type RunContact = { contactId: string } | { phone: string } | { userId: string };

export interface RunStart {
  contact: RunContact;
  variables: Readonly<Record<string, string>>;
  /** Allows several active runs of the automation for the contact. */
  concurrent: boolean;
}

/**
 * Returns the run, and whether an earlier request with the same idempotency key started it.
 * @throws {AppError} IDEMPOTENCY_MISMATCH, NOT_FOUND for an unknown automation or contact, or INVALID_REQUEST naming
 * each missing variable.
 * CONFLICT if the automation is inactive, or if the contact already has an active run of the automation
 */
export async function triggerAutomation(
  { pool, prisma, clock }: { pool: Connection; prisma: Prisma.TransactionClient; clock: Clock },
  scope: Scope,
  automationId: string,
  { contact, variables, concurrent }: RunStart,
  claim: IdempotencyKey | null,
): Promise<{ run: AutomationRun; replayed: boolean }> {
  const now = clock.now();
  const findRun = (id: string) => prisma.automationRun.findFirst({ where: { id, ...scope } });
  const earlierId = claim && (await findResultId(pool, scope.accountId, claim, now));
  if (earlierId) return { run: requireRun(await findRun(earlierId)), replayed: true };

  const automation = await getAutomation({ prisma }, scope, automationId);
  if (!automation.isActive) throw new AppError('CONFLICT', 'The automation is switched off.');
  const missing = listRequiredVariables(automation.steps as Step[]).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) {
    throw invalidFields(missing.map((name) => ({ field: `variables.${name}`, rule: 'is needed by the steps' })));
  }

  const id = newId();
  const isNew = await withTransaction(pool, async (client) => {
    if (claim && !(await reserveKey(client, scope.accountId, claim, id, now))) return false;
    const contactId = await lockRunContact(client, scope, contact, now);
    const run = { id, ...scope, automationId, contactId, variables, concurrent, now };
    if (!(await insertRun(client, run))) {
      throw new AppError('CONFLICT', 'A run of the automation for the contact is under way.');
    }
    return true;
  });
  const runId = isNew ? id : await findResultId(pool, scope.accountId, claim as IdempotencyKey, now);
  return { run: requireRun(await findRun(runId as string)), replayed: !isNew };
}

async function lockRunContact(client: pg.PoolClient, scope: Scope, contact: RunContact, now: Date): Promise<string> {
  if (!('contactId' in contact)) {
    const address = 'phone' in contact ? contact.phone : contact.userId;
    return (await findOrCreateParty(client, scope, address, now, { lock: true })).contactId;
  }
  const id = await lockContact(client, { ...scope, contactId: contact.contactId });
  if (id === null) throw notFound('contact', 'contactId');
  return id;
}

/** Lists the newest runs first, and none for an unknown status. */
export async function listRuns(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ runs: AutomationRun[]; total: number }> {
  await getAutomation({ prisma }, scope, automationId);
  const filter = status === undefined ? {} : toStateFilter(status);
  if (filter === null) return { runs: [], total: 0 };
  const where = { ...scope, automationId, ...filter };
  const [total, runs] = await Promise.all([
    prisma.automationRun.count({ where }),
    prisma.automationRun.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  return { runs, total };
}

export type RunWithContact = AutomationRun & {
  contact: { phone: string | null; userId: string | null; username: string | null; name: string };
};

/** Lists the newest runs first, and none for an unknown status. */
export async function listRunsBefore(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<RunWithContact[]> {
  await getAutomation({ prisma }, scope, automationId);
  const filter = status === undefined ? {} : toStateFilter(status);
  if (filter === null) return [];
  const where = { ...scope, automationId, ...filter, ...(before !== null && { id: { lt: before } }) };
  const contact = { select: { phone: true, userId: true, username: true, name: true } };
  return prisma.automationRun.findMany({ where, orderBy: { id: 'desc' }, take: limit, include: { contact } });
}

export async function getRun(
  { prisma }: { prisma: Prisma.TransactionClient },
  scope: Scope,
  automationId: string,
  id: string,
): Promise<RunWithContact> {
  const contact = { select: { phone: true, userId: true, username: true, name: true } };
  const run = await prisma.automationRun.findFirst({ where: { id, automationId, ...scope }, include: { contact } });
  if (!run) throw notFound('run');
  return run;
}

function requireRun(run: AutomationRun | null): AutomationRun {
  if (!run) throw new AppError('NOT_FOUND', 'The run was deleted with its contact or its automation.');
  return run;
}

/** Returns null for an unknown status. */
function toStateFilter(text: string): Prisma.AutomationRunWhereInput | null {
  const state = RUN_STATES.find((each) => each === text.toLowerCase());
  if (!state) return null;
  return state === 'canceled' ? { canceledAt: { not: null } } : { status: state, canceledAt: null };
}
