// Posts signed webhooks of the Cloud API at a steady rate, regardless of response times, as Meta does. The script runs as a
// separate process, reads its parameters as JSON from standard input, and prints its figures as JSON.
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const TICK_MS = 5;

let text = '';
for await (const chunk of process.stdin) text += chunk;
const { baseUrl, path, appSecret, phoneNumberId, statuses, perSecond, connections } = JSON.parse(text);

const createBody = ({ id, status, callbackData }) =>
  Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
                statuses: [
                  {
                    id,
                    status,
                    timestamp: String(Math.floor(Date.now() / 1000)),
                    recipient_id: '16505551234',
                    conversation: { id: '72b14d6bd5407799e66f64d1b338e567', origin: { type: 'utility' } },
                    pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
                    ...(callbackData && { biz_opaque_callback_data: callbackData }),
                  },
                ],
              },
              field: 'messages',
            },
          ],
        },
      ],
    }),
  );

const pool = new Pool(baseUrl, { connections, pipelining: 1 });
const latencies = [];
let lost = 0;
let refused = 0;
const post = async (statusEntry) => {
  const body = createBody(statusEntry);
  const signature = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
  const start = performance.now();
  try {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const response = await pool.request({ method: 'POST', path, headers, body });
    await response.body.dump();
    if (response.statusCode !== 200) refused += 1;
  } catch {
    lost += 1;
  }
  latencies.push(performance.now() - start);
};

const start = performance.now();
const posting = [];
let next = 0;
while (next < statuses.length) {
  const dueCount = perSecond ? Math.floor(((performance.now() - start) / 1000) * perSecond) : statuses.length;
  for (; next < Math.min(dueCount, statuses.length); next += 1) posting.push(post(statuses[next]));
  await pause(TICK_MS);
}
const offeredSeconds = (performance.now() - start) / 1000;
await Promise.all(posting);
const seconds = (performance.now() - start) / 1000;
await pool.close();
latencies.sort((a, b) => a - b);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(
  JSON.stringify({
    webhooks: statuses.length,
    lost,
    refused,
    offeredSeconds,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    slowest: percentile(1),
  }),
);
