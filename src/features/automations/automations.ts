import { AppError, type FieldProblem, invalidField, notFound } from '../../platform/errors/app-error.js';
import { invalidFields, isLongerThan } from '../../platform/errors/field-problems.js';
import type { Automation, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { inSharedTransaction } from '../../platform/store/transaction.js';
import { type ChannelSender, composeTemplate } from '../conversations/sending/compose.js';
import { findMeaning } from '../opt-outs/opt-outs.js';
import { sampleComponents } from '../placeholders/placeholders.js';
import { listRequiredVariables, parseSteps, type Step, type StepInput } from './steps.js';
import { KEYWORD_LIMIT, KEYWORD_VARIABLE, trimKeyword } from './triggers.js';

export type { Automation };

export interface Scope {
  accountId: string;
  channelId: string;
}

export interface AutomationInput {
  name: string;
  steps: StepInput[];
  keyword?: string;
  isActive?: boolean;
  /** Seconds after the start of a run during which the keyword starts no other run for the contact. Default: 60. */
  cooldownSeconds?: number;
}

interface Store {
  prisma: Prisma.TransactionClient;
}

/**
 * @throws {AppError} INVALID_REQUEST naming every invalid field of a step, or `keyword` if it is an opt-out word.
 * NOT_FOUND for an unknown template or group, or CONFLICT if another automation of the channel has the keyword
 */
export async function createAutomation(
  { prisma }: Store,
  sender: ChannelSender,
  { name, steps, keyword = '', isActive, cooldownSeconds }: AutomationInput,
  now: Date,
): Promise<Automation> {
  const fields = { name: normalizeName(name), keyword: normalizeKeyword(keyword), isActive, cooldownSeconds };
  const parsedSteps = await validateSteps({ prisma }, sender, steps);
  requireKeywordProvidesVariables(fields.keyword, parsedSteps);
  await rejectOptOutWord({ prisma }, sender.account.id, fields.keyword);
  return translateWriteError(
    prisma.automation.create({
      data: {
        id: newId(),
        ...toScope(sender),
        ...fields,
        steps: toJsonSteps(parsedSteps),
        createdAt: now,
        updatedAt: now,
      },
    }),
  );
}

export function changeAutomation(
  { prisma }: { prisma: Pick<PrismaClient, '$transaction'> },
  sender: ChannelSender,
  id: string,
  changes: Partial<AutomationInput>,
  now: Date,
): Promise<Automation> {
  return inSharedTransaction(prisma, (transaction) => updateAutomation(transaction, sender, id, changes, now));
}

/**
 * Locks the automation, so that concurrent changes are validated one after the other.
 * @throws {AppError} NOT_FOUND if the channel has no such automation, or any error of `createAutomation`
 */
export async function updateAutomation(
  { prisma }: Store,
  sender: ChannelSender,
  id: string,
  { name, steps, keyword, isActive, cooldownSeconds }: Partial<AutomationInput>,
  now: Date,
): Promise<Automation> {
  const automation = await lockAutomation({ prisma }, toScope(sender), id);
  const fields = [name, steps, keyword, isActive, cooldownSeconds];
  if (fields.every((each) => each === undefined)) return automation;
  const fieldChanges = {
    isActive,
    cooldownSeconds,
    ...(name !== undefined && { name: normalizeName(name) }),
    ...(keyword !== undefined && { keyword: normalizeKeyword(keyword) }),
  };
  const parsedSteps = steps && (await validateSteps({ prisma }, sender, steps));
  const { keyword: newKeyword = automation.keyword } = fieldChanges;
  requireKeywordProvidesVariables(newKeyword, parsedSteps ?? (automation.steps as Step[]));
  if (newKeyword !== automation.keyword) await rejectOptOutWord({ prisma }, sender.account.id, newKeyword);
  // An automation from an older version may share its keyword with another one until its keyword is changed.
  const sharing = newKeyword === automation.keyword ? {} : { sharesKeyword: false };
  const data = { ...fieldChanges, ...sharing, ...(parsedSteps && { steps: toJsonSteps(parsedSteps) }), updatedAt: now };
  return translateWriteError(prisma.automation.update({ where: { id, ...toScope(sender) }, data }));
}

function toJsonSteps(steps: readonly Step[]): Prisma.InputJsonArray {
  return steps as unknown as Prisma.InputJsonArray;
}

export async function getAutomation({ prisma }: Store, scope: Scope, id: string): Promise<Automation> {
  const automation = await prisma.automation.findFirst({ where: { id, ...scope } });
  if (!automation) throw automationNotFound();
  return automation;
}

export async function lockAutomation({ prisma }: Store, scope: Scope, id: string): Promise<Automation> {
  await prisma.$queryRaw`SELECT 1 FROM automations WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return getAutomation({ prisma }, scope, id);
}

export async function listAutomations(
  { prisma }: Store,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ automations: Automation[]; total: number }> {
  const [total, automations] = await Promise.all([
    prisma.automation.count({ where: scope }),
    prisma.automation.findMany({ where: scope, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  return { automations, total };
}

/** Newest first. */
export async function listAutomationsBefore(
  { prisma }: Store,
  scope: Scope,
  { limit, before }: { limit: number; before: string | null },
): Promise<Automation[]> {
  const where = { ...scope, ...(before !== null && { id: { lt: before } }) };
  return prisma.automation.findMany({ where, orderBy: { id: 'desc' }, take: limit });
}

/** Active runs of the automation stop once their current step is committed. */
export async function deleteAutomation({ prisma }: Store, scope: Scope, id: string): Promise<void> {
  const { count } = await prisma.automation.deleteMany({ where: { id, ...scope } });
  if (count === 0) throw automationNotFound();
}

function toScope({ account, channel }: ChannelSender): Scope {
  return { accountId: account.id, channelId: channel.id };
}

function automationNotFound(): AppError {
  return notFound('automation');
}

function normalizeName(name: string): string {
  if (name.trim() === '') throw invalidField('name', 'must not be empty');
  return name.trim();
}

function normalizeKeyword(text: string): string | null {
  const keyword = trimKeyword(text);
  if (isLongerThan(keyword.normalize('NFC'), KEYWORD_LIMIT)) {
    throw invalidField('keyword', `must be a text of at most ${KEYWORD_LIMIT} characters`);
  }
  return keyword === '' ? null : keyword;
}

/** A run that is started by a keyword has only one variable: the text of the inbound message. */
function requireKeywordProvidesVariables(keyword: string | null, steps: readonly Step[]): void {
  const missing = listRequiredVariables(steps).find((name) => name !== KEYWORD_VARIABLE);
  if (keyword === null || missing === undefined) return;
  throw invalidField(
    'keyword',
    `cannot start steps that need {{variables.${missing}}}: an inbound message provides only {{variables.${KEYWORD_VARIABLE}}}`,
  );
}

/** Rejects opt-out words, because nothing may be sent to a contact who wrote one. */
async function rejectOptOutWord({ prisma }: Store, accountId: string, keyword: string | null): Promise<void> {
  if (keyword === null || (await findMeaning(prisma, accountId, keyword)) !== 'stop') return;
  throw invalidField(
    'keyword',
    'must not be an opt-out word such as STOP: nothing may be sent to a contact who opted out',
  );
}

async function validateSteps({ prisma }: Store, sender: ChannelSender, inputs: StepInput[]): Promise<Step[]> {
  const problems: FieldProblem[] = [];
  const steps = parseSteps(inputs, problems);
  if (problems.length > 0) throw invalidFields(problems);
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    if (step.type === 'send_template') {
      const sample = { ...step, components: sampleComponents(step.components) };
      await composeTemplate({ prisma }, sender, sample).catch((error) => {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'NOT_FOUND') throw new AppError('NOT_FOUND', `${path}: ${error.message}`);
        if (error.code !== 'INVALID_REQUEST') throw error;
        problems.push(...error.fields.map(({ field, rule }) => ({ field: `${path}.${field}`, rule })));
      });
    } else if ('groupId' in step) {
      const { groupId: id } = step;
      const group = await prisma.contactGroup.findFirst({ where: { id, ...toScope(sender) } });
      if (!group) throw new AppError('NOT_FOUND', `No group has the id in ${path}.groupId.`);
    }
  }
  if (problems.length > 0) throw invalidFields(problems);
  return steps;
}

/** Translates Prisma's errors for a unique-index violation (P2002) and a missing row (P2025). */
async function translateWriteError(write: Promise<Automation>): Promise<Automation> {
  try {
    return await write;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'P2002') throw new AppError('CONFLICT', 'Another automation of the channel has this keyword.');
    if (code === 'P2025') throw automationNotFound();
    throw error;
  }
}
