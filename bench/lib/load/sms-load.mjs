// Sends SMS at a steady rate with POST /v1.0/sms/send, each to a different number. A separate process: node
// bench/lib/load/sms-load.mjs reads the load as JSON from standard input and prints its figures as JSON.
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
    const answer = await pool.request({ method: 'POST', path: '/v1.0/sms/send', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) refused += 1;
  } catch {
    lost += 1;
  }
};

const total = perSecond * seconds;
const began = performance.now();
const underWay = [];
for (let next = 0; next < total; ) {
  const dueCount = Math.min(total, Math.floor(((performance.now() - began) / 1000) * perSecond));
  for (; next < dueCount; next += 1) underWay.push(send(firstNumber + next));
  await pause(TICK_MS);
}
const offeredSeconds = (performance.now() - began) / 1000;
await Promise.all(underWay);
await pool.close();
console.log(JSON.stringify({ sent: total, lost, refused, offeredSeconds }));
