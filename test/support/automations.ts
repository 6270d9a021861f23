import { receiveInbound } from '../../src/features/inbound/receive.js';
import { newId } from '../../src/platform/ids.js';
import type { Deps } from '../../src/process/startup/deps.js';
import type { TestChannel } from './channels.js';
import type { TestApp } from './test-app.js';
import { waitFor } from './wait-for.js';

export interface RunResponse {
  id: string;
  automationId: string;
  contactId: string;
  status: string;
  step: number;
  stepCount: number;
  variables: Record<string, string>;
  errorMessage: string | null;
  waitingUntil: string | null;
  startedAt: string;
  completedAt: string | null;
}

type Test = Pick<TestApp, 'app'>;
type Caller = Pick<TestChannel, 'headers'>;

async function post<T>({ app }: Test, { headers }: Caller, url: string, payload: object): Promise<T> {
  const response = await app.inject({ method: 'POST', url: `/api/v1/automations${url}`, headers, payload });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().data;
}

/** @throws Error unless the automation is accepted */
export async function createAutomation(
  test: Test,
  caller: Caller,
  steps: readonly object[],
  overrides: { name?: string; keyword?: string; isActive?: boolean; cooldownSeconds?: number } = {},
): Promise<string> {
  return (await post<{ id: string }>(test, caller, '', { name: 'Test', steps, ...overrides })).id;
}

/** @throws Error unless the run is accepted */
export function triggerAutomation(
  test: Test,
  caller: Caller,
  automationId: string,
  body: { contactId?: string; phone?: string; variables?: Record<string, string>; concurrent?: boolean },
): Promise<RunResponse> {
  return post(test, caller, `/${automationId}/trigger`, body);
}

/** Newest first. */
export async function listRuns({ app }: Test, { headers }: Caller, automationId: string): Promise<RunResponse[]> {
  const response = await app.inject({ url: `/api/v1/automations/${automationId}/runs`, headers });
  return response.json().data.runs;
}

export function waitForRun(test: Test, caller: Caller, automationId: string, status: string): Promise<RunResponse> {
  return waitFor(
    `the run to be ${status}`,
    async () => {
      const [run] = await listRuns(test, caller, automationId);
      if (run && run.status !== status && run.completedAt)
        throw new Error(`the run is ${run.status}: ${run.errorMessage}`);
      return run?.status === status && run;
    },
    { intervalMs: 50 },
  );
}

export function createCompletionWebhook(
  { prisma }: Pick<Deps, 'prisma'>,
  channel: TestChannel,
): Promise<{ id: string }> {
  return prisma.webhook.create({
    data: {
      id: newId(),
      accountId: channel.account.id,
      channelId: channel.channelId,
      url: 'https://example.invalid/hook',
      events: ['automation.completed'],
      secret: 'whsec_dGVzdA==',
    },
  });
}

/** Receives a text from a contact as if a carrier had reported it, and returns the contact ID. */
export async function receiveText(
  deps: Deps,
  channel: TestChannel,
  from: string,
  text: string,
  { id = `in-${newId()}`, type = 'text' }: { id?: string; type?: string } = {},
): Promise<string> {
  const stored = await receiveInbound(
    deps,
    { id: channel.channelId, accountId: channel.account.id, kind: 'whatsapp', phoneNumber: channel.phoneNumber },
    { carrierMessageId: id, from, type, body: text, payload: { body: text }, receivedAt: deps.clock.now() },
  );
  if (stored.contactId === null) throw new Error('the contact of a repeated message was deleted');
  return stored.contactId;
}

/** Lists message bodies in the order in which the messages were accepted. */
export async function listBodiesTo(
  { prisma }: Pick<Deps, 'prisma'>,
  channel: TestChannel,
  to: string,
): Promise<string[]> {
  const messages = await prisma.message.findMany({
    where: { channelId: channel.channelId, recipient: to },
    orderBy: { id: 'asc' },
  });
  return messages.map(({ body }) => body);
}
