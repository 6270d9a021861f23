import type { TestAccount } from './accounts.js';
import type { TestApp } from './test-app.js';
import { waitFor } from './wait-for.js';

/** Fields outside `data` exist only if the request has a single destination. */
export interface SmsResponse {
  status: string;
  message_id: string;
  data: { message_id: string; message_count: number; from: string; to: string; message: string; timestamp: string }[];
}

/** @throws Error unless the message is accepted */
export async function sendSms(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestAccount, 'headers'>,
  { from = 'Heliograph', to = '14155550123', message = 'Hello' }: { from?: string; to?: string; message?: string } = {},
): Promise<SmsResponse> {
  const response = await app.inject({
    method: 'POST',
    url: '/v1.0/sms/send',
    headers,
    payload: { from, to, message },
  });
  if (response.statusCode !== 200) throw new Error(`the SMS was refused with ${response.statusCode}: ${response.body}`);
  return response.json();
}

export async function readStatus(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestAccount, 'headers'>,
  messageId: string,
): Promise<string> {
  const response = await app.inject({ url: `/v1.0/sms/status/${messageId}`, headers });
  return response.json().status;
}

/** @throws Error with the counts by status, once `WAIT_MS` have passed */
export async function waitForStatus(
  { deps }: Pick<TestApp, 'deps'>,
  messageIds: readonly string[],
  status: string,
): Promise<void> {
  let counts: Record<string, number> = {};
  const haveAllStatus = async () => {
    const { rows } = await deps.pool.query<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM messages WHERE id = ANY($1::uuid[]) GROUP BY status',
      [messageIds],
    );
    counts = Object.fromEntries(rows.map((row) => [row.status, row.count]));
    return counts[status] === messageIds.length;
  };
  try {
    await waitFor(`${messageIds.length} messages to be ${status}`, haveAllStatus);
  } catch (cause) {
    throw new Error(`of ${messageIds.length} messages there are ${JSON.stringify(counts)}`, { cause });
  }
}

/**
 * Makes the relay check a message until it has the given status, after a test has moved the clock. The check is repeated,
 * because a check that started earlier may still use the old time.
 */
export async function checkUntil({ deps }: Pick<TestApp, 'deps'>, messageId: string, status: string): Promise<void> {
  const checkNow = async () => {
    const { rows } = await deps.pool.query<{ status: string }>('SELECT status FROM messages WHERE id = $1', [
      messageId,
    ]);
    if (rows[0]?.status === status) return true;
    await deps.pool.query(
      "UPDATE messages SET next_look = now() - interval '1 second' WHERE id = $1 AND next_look > now()",
      [messageId],
    );
    return false;
  };
  await waitFor(`${messageId} to be ${status}`, checkNow, { intervalMs: 200 });
}
