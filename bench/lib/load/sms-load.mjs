// Sends SMS at a steady rate with POST /v1.0/sms/send, to a different number each time. The script runs as a separate process,
// reads its parameters as JSON from standard input, and prints its figures as JSON.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const TICK_MS = 5;

let text = '';
for await (const chunk of process.stdin) text += chunk;
const { baseUrl, apiKey, perSecond, seconds, firstNumber, connections } = JSON.parse(text);

const pool = new Pool(baseUrl, { connections, pipelining: 1 });
const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
let lost = 0;
let refused = 0;
const send = async (number) => {
  const body = JSON.stringify({ from: 'Heliograph', to: String(number), message: 'A text of one part' });
  try {
    const response = await pool.request({ method: 'POST', path: '/v1.0/sms/send', headers, body });
    await response.body.dump();
    if (response.statusCode !== 200) refused += 1;
  } catch {
    lost += 1;
  }
};

const total = perSecond * seconds;
const start = performance.now();
const sending = [];
for (let next = 0; next < total; ) {
  const dueCount = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
  for (; next < dueCount; next += 1) sending.push(send(firstNumber + next));
  await pause(TICK_MS);
}
const offeredSeconds = (performance.now() - start) / 1000;
await Promise.all(sending);
await pool.close();
console.log(JSON.stringify({ sent: total, lost, refused, offeredSeconds }));
