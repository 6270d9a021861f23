import { randomUUID } from 'node:crypto';

const SENDERS = 4;
const MAX_RECIPIENTS = 50;
/** Maximum segments of a text, because Twilio's API accepts at most 1,600 characters. */
const MAX_PARTS = 10;
/** Characters per segment in the GSM 7-bit alphabet. */
const CHARACTERS = { single: 160, concatenated: 153 };

function createText(parts) {
  return 'x'.repeat(parts === 1 ? CHARACTERS.single : parts * CHARACTERS.concatenated);
}

/**
 * Sends each message to a different number. Several senders work concurrently, and repeat requests that got no response.
 * @returns {Promise<{to: string, kind: string, via: string, outcome: string, id: string | null, parts: number}[]>}
 */
export async function sendParts({ client, apiKey, parts: totalParts, random }) {
  const journal = [];
  let requestedParts = 0;
  let number = 0;
  const sendRepeatedly = async () => {
    while (requestedParts < totalParts) {
      const remaining = totalParts - requestedParts;
      const parts = Math.min(remaining, 1 + random.below(MAX_PARTS));
      const count = Math.min(MAX_RECIPIENTS, Math.floor(remaining / parts));
      requestedParts += parts * count;
      const to = Array.from({ length: count }, () => `49151${String(10_000_000 + number++)}`);
      const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomUUID() };
      const body = { to, from: 'Pair', channel: 'sms', message: createText(parts) };
      const { status, data, wasUnknown } = await client.request('POST', '/v2/send', { headers, body, repeats: true });
      const entries = status === 200 ? data.data : [];
      const failure = status !== 0 && status < 500 && !wasUnknown ? 'refused' : 'unknown';
      const outcome = status === 200 ? 'acknowledged' : failure;
      for (const [index, recipient] of to.entries()) {
        journal.push({ to: recipient, kind: 'v2', via: 'sms', outcome, id: entries[index]?.message_id ?? null, parts });
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendRepeatedly));
  return journal;
}
