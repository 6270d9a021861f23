import { AppError, type FieldProblem, invalidField } from '../../platform/errors/app-error.js';
import { invalidFields, isLongerThan } from '../../platform/errors/field-problems.js';
import type { Automation, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { inSharedTransaction } from '../../platform/store/transaction.js';
import { type ChannelSender, composeTemplate } from '../conversations/sending/compose.js';
import { meaningFor } from '../opt-outs/opt-outs.js';
import { sampleComponents } from '../placeholders/placeholders.js';
import { neededVariables, readSteps, type Step, type StepInput } from './steps.js';
import { KEYWORD_LIMIT, KEYWORD_VARIABLE, keywordOf } from './triggers.js';

export type { Automation };

/** What a caller sees of a channel: nothing of another account or channel. */
export interface Scope {
  accountId: string;
  channelId: string;
}

export interface AutomationInput {
  name: string;
  steps: StepInput[];
  /** "" stands for none. */
  keyword?: string;
  /** Switched off, it begins no run; on unless told. */
  isActive?: boolean;
  /** Seconds after the beginning of a contact's run in which its keyword begins no other; 60 unless told. */
  cooldownSeconds?: number;
}

interface Store {
  prisma: Prisma.TransactionClient;
}

/**
 * Makes an automation, active at once unless told.
 * @throws {AppError} INVALID_REQUEST naming every bad field of a step, or `keyword` where it is a word by which contacts opt out; NOT_FOUND for an unknown template or group;
 * CONFLICT when another automation of the channel has the keyword
 */
export async function createAutomation(
  { prisma }: Store,
  sender: ChannelSender,
  { name, steps, keyword = '', isActive, cooldownSeconds }: AutomationInput,
  now: Date,
): Promise<Automation> {
  const checked = { name: checkedName(name), keyword: checkedKeyword(keyword), isActive, cooldownSeconds };
  const read = await checkedSteps({ prisma }, sender, steps);
  requireStartable(checked.keyword, read);
  await requireHarmless({ prisma }, sender.account.id, checked.keyword);
  return unlessTaken(
    prisma.automation.create({
      data: { id: newId(), ...scopeOf(sender), ...checked, steps: stored(read), createdAt: now, updatedAt: now },
    }),
  );
}

/** As `updateAutomation`, in a transaction of its own. */
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
 * Changes the given fields, in the caller's transaction, which holds the automation from then on: two who change it at once
 * do so one after the other, and what each leaves was checked as a whole. Runs under way keep the steps with which they
 * began.
 * @throws {AppError} as `createAutomation`; NOT_FOUND when the channel has no such automation
 */
export async function updateAutomation(
  { prisma }: Store,
  sender: ChannelSender,
  id: string,
  { name, steps, keyword, isActive, cooldownSeconds }: Partial<AutomationInput>,
  now: Date,
): Promise<Automation> {
  const automation = await lockedAutomation({ prisma }, scopeOf(sender), id);
  const given = [name, steps, keyword, isActive, cooldownSeconds];
  if (given.every((each) => each === undefined)) return automation;
  const changed = {
    isActive,
    cooldownSeconds,
    ...(name !== undefined && { name: checkedName(name) }),
    ...(keyword !== undefined && { keyword: checkedKeyword(keyword) }),
  };
  const read = steps && (await checkedSteps({ prisma }, sender, steps));
  const { keyword: startedBy = automation.keyword } = changed;
  requireStartable(startedBy, read ?? (automation.steps as Step[]));
  if (startedBy !== automation.keyword) await requireHarmless({ prisma }, sender.account.id, startedBy);
  // A keyword that stays as it is may go on sharing its word with that of an older automation; a new one must not.
  const shares = startedBy === automation.keyword ? {} : { sharesKeyword: false };
  const data = { ...changed, ...shares, ...(read && { steps: stored(read) }), updatedAt: now };
  return unlessTaken(prisma.automation.update({ where: { id, ...scopeOf(sender) }, data }));
}

/** Steps are plain JSON; their interfaces only lack the index signature that Prisma asks for. */
function stored(steps: readonly Step[]): Prisma.InputJsonArray {
  return steps as unknown as Prisma.InputJsonArray;
}

/** @throws {AppError} NOT_FOUND when the channel has no such automation */
export async function getAutomation({ prisma }: Store, scope: Scope, id: string): Promise<Automation> {
  const automation = await prisma.automation.findFirst({ where: { id, ...scope } });
  if (!automation) throw noAutomation();
  return automation;
}

/**
 * An automation, locked until the transaction ends, so that what is read of it is what a change of it begins from.
 * @throws {AppError} NOT_FOUND as `getAutomation`
 */
export async function lockedAutomation({ prisma }: Store, scope: Scope, id: string): Promise<Automation> {
  await prisma.$queryRaw`SELECT 1 FROM automations WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return getAutomation({ prisma }, scope, id);
}

/** A page of automations, the newest first. */
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

/** Automations that are older than one, the newest first. */
export async function pageOfAutomations(
  { prisma }: Store,
  scope: Scope,
  { limit, before }: { limit: number; before: string | null },
): Promise<Automation[]> {
  const where = { ...scope, ...(before !== null && { id: { lt: before } }) };
  return prisma.automation.findMany({ where, orderBy: { id: 'desc' }, take: limit });
}

/**
 * Deletes an automation and its runs: those under way do no further step.
 * @throws {AppError} NOT_FOUND when the channel has no such automation
 */
export async function deleteAutomation({ prisma }: Store, scope: Scope, id: string): Promise<void> {
  const { count } = await prisma.automation.deleteMany({ where: { id, ...scope } });
  if (count === 0) throw noAutomation();
}

function scopeOf({ account, channel }: ChannelSender): Scope {
  return { accountId: account.id, channelId: channel.id };
}

function noAutomation(): AppError {
  return new AppError('NOT_FOUND', 'There is no automation with this id.');
}

function checkedName(name: string): string {
  if (name.trim() === '') throw invalidField('name', 'must not be empty');
  return name.trim();
}

function checkedKeyword(text: string): string | null {
  const keyword = keywordOf(text);
  if (isLongerThan(keyword.normalize('NFC'), KEYWORD_LIMIT)) {
    throw invalidField('keyword', `must be a text of at most ${KEYWORD_LIMIT} characters`);
  }
  return keyword === '' ? null : keyword;
}

/** An inbound message gives no variable but its own text. */
function requireStartable(keyword: string | null, steps: readonly Step[]): void {
  const missing = neededVariables(steps).find((name) => name !== KEYWORD_VARIABLE);
  if (keyword === null || missing === undefined) return;
  throw invalidField(
    'keyword',
    `cannot start steps that need {{variables.${missing}}}: an inbound message gives {{variables.${KEYWORD_VARIABLE}}} alone`,
  );
}

/** Who writes a word that opts out is sent nothing more: an automation that it starts could never answer. */
async function requireHarmless({ prisma }: Store, accountId: string, keyword: string | null): Promise<void> {
  if (keyword === null || (await meaningFor(prisma, accountId, keyword)) !== 'stop') return;
  throw invalidField(
    'keyword',
    'must not be a word by which contacts opt out, such as STOP: nothing may be sent to whoever writes it',
  );
}

/** The steps of a request, whose templates and groups are there and fit. */
async function checkedSteps({ prisma }: Store, sender: ChannelSender, inputs: StepInput[]): Promise<Step[]> {
  const problems: FieldProblem[] = [];
  const steps = readSteps(inputs, problems);
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
      const group = await prisma.contactGroup.findFirst({ where: { id, ...scopeOf(sender) } });
      if (!group) throw new AppError('NOT_FOUND', `There is no group with the id in ${path}.groupId.`);
    }
  }
  if (problems.length > 0) throw invalidFields(problems);
  return steps;
}

/** Turns the violation of a unique index, and the loss of the row, into what a caller is told. */
async function unlessTaken(written: Promise<Automation>): Promise<Automation> {
  try {
    return await written;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'P2002') throw new AppError('CONFLICT', 'Another automation of the channel has this keyword.');
    if (code === 'P2025') throw noAutomation();
    throw error;
  }
}
