import type { Acceptance, SendRequest } from '../../src/messages/compose/send-request.js';
import type { MessageStatus } from '../../src/messages/message-status.js';
import type { Deps } from '../../src/process/startup/deps.js';
import type { TestAccount } from './accounts.js';
import { waitFor } from './wait-for.js';

/** Number to which the simulator delivers messages. */
export const ORDINARY_NUMBER = '15005550100';

/** Final status that the simulator gives an SMS, by recipient. */
export const FINAL_STATUS_BY_NUMBER: Readonly<Record<string, MessageStatus>> = {
  '15005550001': 'failed',
  '15005550002': 'undelivered',
  '15005550004': 'delivered',
  '15005550006': 'read',
  '15005550009': 'expired',
};

export interface TestSend {
  to?: string | readonly string[];
  body?: string;
  priority?: number;
  /** Idempotency key, whose body hash is derived from the text. */
  key?: string;
}

/** Builds a request for suites that send without HTTP. */
export function sendRequest(account: TestAccount, send: TestSend = {}): SendRequest {
  const { to = ORDINARY_NUMBER, body = 'Hello', priority = 0, key } = send;
  return {
    account: { id: account.id, currency: 'USD', rateCardId: 'standard' },
    surface: 'a',
    kind: 'sms',
    sender: 'Heliograph',
    recipients: [to].flat().map((digits) => ({ digits, plus: false })),
    body,
    content: null,
    priority,
    channelId: null,
    carrier: 'simulator',
    idempotencyKey: key ? { key, route: 'POST /test', bodyHash: Buffer.from(body.padEnd(32).slice(0, 32)) } : null,
  };
}

export async function accept(deps: Deps, account: TestAccount, send?: TestSend): Promise<string[]> {
  return listIds(await deps.acceptor.accept(sendRequest(account, send)));
}

export function listIds(acceptance: Acceptance): string[] {
  return acceptance.messages.map(({ id }) => id);
}

export async function countStatuses(deps: Deps, accountId: string): Promise<Partial<Record<MessageStatus, number>>> {
  const groups = await deps.prisma.message.groupBy({ by: ['status'], where: { accountId }, _count: true });
  return Object.fromEntries(groups.map(({ status, _count }) => [status, _count]));
}

/** Waits until all messages of the account have the given status, and returns their number. */
export async function waitForAllMessages(
  deps: Deps,
  accountId: string,
  status: MessageStatus,
  options?: { timeoutMs?: number },
): Promise<number> {
  return waitFor(
    `every message to be ${status}`,
    async () => {
      const counts = await countStatuses(deps, accountId);
      return Object.keys(counts).length === 1 && counts[status];
    },
    { intervalMs: 25, ...options },
  );
}

/** Reads message rows in a comparable form, without IDs and with times relative to acceptance. */
export async function readComparableRows({ prisma }: Pick<Deps, 'prisma'>, ids: readonly string[]) {
  const rows = await prisma.message.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } });
  return rows.map(({ id, createdAt, validUntil, nextLook, ...row }) => ({
    ...row,
    validFor: validUntil.getTime() - createdAt.getTime(),
    looksAfter: Math.round(((nextLook?.getTime() ?? 0) - createdAt.getTime()) / 10_000),
  }));
}
