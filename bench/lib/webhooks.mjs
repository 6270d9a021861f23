import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createChannel } from '../../dist/features/channels/channels.js';
import { newId } from '../../dist/platform/ids.js';
import { openPrisma } from '../../dist/platform/store/connections/pool.js';

const CARRIER = 'meta';
const PHONE_NUMBER_ID = '106540352242922';
const APP_SECRET = 'the secret of the benchmark';

/** Creates a carrier that sends no messages, and a channel that uses this carrier. */
export async function setUpWebhooks(pool) {
  const settings = {
    accessToken: 'unused',
    appSecret: APP_SECRET,
    verifyToken: 'unused',
    baseUrl: 'http://127.0.0.1:9',
  };
  await pool.query(`INSERT INTO carriers (id, name, type, settings) VALUES ($1, $2, 'whatsapp-cloud', $3)`, [
    newId(),
    CARRIER,
    JSON.stringify(settings),
  ]);
  const prisma = openPrisma(pool);
  const { id: accountId } = await prisma.account.findFirstOrThrow();
  const { id: channelId } = await createChannel(prisma, {
    accountId,
    kind: 'whatsapp',
    name: 'Benchmark',
    phoneNumber: '15550783881',
    carrier: CARRIER,
    carrierSettings: { phoneNumberId: PHONE_NUMBER_ID },
    isDefault: true,
  });
  await prisma.$disconnect();
  return { accountId, channelId };
}

/** Creates messages with the status `sent`, and the references that match Meta's statuses to these messages. */
export async function createSentMessages(pool, { accountId, channelId }, count) {
  const { rows } = await pool.query(
    `WITH made AS (
       INSERT INTO messages (id, account_id, channel_id, surface, kind, sender, recipient, body, parts, priority, carrier,
                             status, attempts, price_micros, created_at, valid_until, sending_at, sent_at, next_look,
                             carrier_message_id)
       SELECT new_id(), $1, $2, 'b', 'whatsapp', '15550783881', '16505551234', 'Hello', 1, 2, $3, 'sent', 1, 10000, now(),
              now() + interval '2 days', now(), now(), now() + interval '2 days', 'wamid.' || gen_random_uuid()
       FROM generate_series(1, $4)
       RETURNING id, carrier_message_id)
     , referred AS (
       INSERT INTO carrier_references (carrier, carrier_message_id, message_id)
       SELECT $3, carrier_message_id, id FROM made)
     SELECT id, carrier_message_id AS "carrierMessageId" FROM made`,
    [accountId, channelId, CARRIER, count],
  );
  await pool.query('ANALYZE messages, carrier_references');
  return rows;
}

/**
 * Creates a status `delivered` and a status `read` for each message, in random order. The statuses of every second message
 * contain our message ID; all other statuses can be matched only by Meta's ID.
 */
export function createStatuses(messages) {
  const statuses = messages.flatMap(({ id, carrierMessageId }, index) =>
    ['delivered', 'read'].map((status) => ({
      id: carrierMessageId,
      status,
      ...(index % 2 === 0 && { callbackData: id }),
    })),
  );
  for (let index = statuses.length - 1; index > 0; index -= 1) {
    const swapIndex = Math.floor(Math.random() * (index + 1));
    [statuses[index], statuses[swapIndex]] = [statuses[swapIndex], statuses[index]];
  }
  return statuses;
}

/** Posts statuses at `rate` per second, or as fast as the server responds if `rate` is null. */
export async function postStatuses(baseUrl, statuses, { rate, connections }) {
  const script = fileURLToPath(new URL('load/webhook-load.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(
    JSON.stringify({
      baseUrl,
      path: `/callbacks/whatsapp-cloud/${CARRIER}`,
      appSecret: APP_SECRET,
      phoneNumberId: PHONE_NUMBER_ID,
      statuses,
      perSecond: rate,
      connections,
    }),
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return JSON.parse(output);
}

/** Waits until all statuses are applied, and returns the waiting time and the number of messages marked as read. */
export async function drain(pool, messages) {
  const start = performance.now();
  await waitUntilEmpty(pool, 'carrier_callbacks');
  const seconds = (performance.now() - start) / 1000;
  // A receipt that matched no message is kept for a few seconds, because the carrier may send a receipt before the message's
  // carrier ID is stored.
  await waitUntilEmpty(pool, 'early_receipts');
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE status = 'read' AND delivered_at IS NOT NULL AND read_at IS NOT NULL)::int AS read,
            (SELECT count(*)::int FROM carrier_callbacks) AS left, (SELECT count(*)::int FROM early_receipts) AS early
     FROM messages WHERE id = ANY($1::uuid[])`,
    [messages.map(({ id }) => id)],
  );
  return { seconds, ...rows[0] };
}

async function waitUntilEmpty(pool, table) {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const { rows } = await pool.query(`SELECT count(*)::int AS left FROM ${table}`);
    if (rows[0].left === 0) return;
    await pause(10);
  }
}
