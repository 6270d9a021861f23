import type pg from 'pg';
import { findMade, takeKey } from '../../messages/accept/idempotency-store.js';
import type { IdempotencyKey } from '../../messages/compose/send-request.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { type AutomationRun, type PrismaClient, RunStatus } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { within } from '../contacts/transaction.js';
import { getAutomation, type Scope } from './automations.js';
import { insertRun } from './run-store.js';
import { neededVariables, type Step } from './steps.js';

/** The statuses that a run may have. */
export const RUN_STATUSES = Object.values(RunStatus);
export type { AutomationRun, RunStatus };

/** Whom a run is for: a contact of the channel by its id, or by a number whose contact is made when it is new. */
export type RunContact = { contactId: string } | { phone: string };

/**
 * Starts a run; a runner does its first step within moments.
 * @returns the run, and whether an earlier request with the same idempotency key started it
 * @throws {AppError} NOT_FOUND for an unknown automation or contact; INVALID_REQUEST naming each variable that its steps
 * need and that is not given; IDEMPOTENCY_MISMATCH
 */
export async function triggerAutomation(
  { pool, prisma, clock }: { pool: pg.Pool; prisma: PrismaClient; clock: Clock },
  scope: Scope,
  automationId: string,
  { contact, variables }: { contact: RunContact; variables: Readonly<Record<string, string>> },
  claim: IdempotencyKey | null,
): Promise<{ run: AutomationRun; replayed: boolean }> {
  const now = clock.now();
  const find = (id: string) => prisma.automationRun.findFirst({ where: { id, ...scope } });
  const made = claim && (await findMade(pool, scope.accountId, claim, now));
  if (made) return { run: requireRun(await find(made)), replayed: true };

  const automation = await getAutomation({ prisma }, scope, automationId);
  const missing = neededVariables(automation.steps as Step[]).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) {
    throw invalidFields(missing.map((name) => ({ field: `variables.${name}`, rule: 'is needed by the steps' })));
  }

  const id = newId();
  const won = await within(pool, async (client) => {
    if (claim && !(await takeKey(client, scope.accountId, claim, id, now))) return false;
    const contactId =
      'contactId' in contact
        ? contact.contactId
        : (await findOrCreateContact(client, { ...scope, phone: contact.phone, at: now }, { lock: true })).contactId;
    const inserted = await insertRun(client, { id, ...scope, automationId, contactId, variables, now });
    if (!inserted) throw new AppError('NOT_FOUND', 'There is no contact with this contactId.');
    return true;
  });
  const standing = won ? id : await findMade(pool, scope.accountId, claim as IdempotencyKey, now);
  return { run: requireRun(await find(standing as string)), replayed: !won };
}

/** A page of an automation's runs, the newest first. A status that does not exist finds none. */
export async function listRuns(
  { prisma }: { prisma: PrismaClient },
  scope: Scope,
  automationId: string,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ runs: AutomationRun[]; total: number }> {
  await getAutomation({ prisma }, scope, automationId);
  const wanted = status === undefined ? undefined : knownStatus(status);
  if (wanted === null) return { runs: [], total: 0 };
  const where = { ...scope, automationId, status: wanted };
  const [total, runs] = await Promise.all([
    prisma.automationRun.count({ where }),
    prisma.automationRun.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  return { runs, total };
}

/** A run vanishes with its contact or its automation. */
function requireRun(run: AutomationRun | null): AutomationRun {
  if (!run) throw new AppError('NOT_FOUND', 'The run was deleted with its contact or its automation.');
  return run;
}

function knownStatus(text: string): RunStatus | null {
  return Object.values(RunStatus).find((status) => status === text.toLowerCase()) ?? null;
}
