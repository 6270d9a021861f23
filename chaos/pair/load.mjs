import { randomUUID } from 'node:crypto';

const AT_ONCE = 4;
const RECIPIENTS = 50;
/** Segments of the longest text: Twilio's API accepts 1,600 characters. */
const LONGEST = 10;
const CHARACTERS = { alone: 160, each: 153 };

/** In the GSM 7-bit alphabet. */
function textWithParts(parts) {
  return 'x'.repeat(parts === 1 ? CHARACTERS.alone : parts * CHARACTERS.each);
}

/**
 * Sends to a different number each time, with several senders at once, and repeats requests without a response.
 * @returns {Promise<{to: string, kind: string, via: string, outcome: string, id: string | null, parts: number}[]>} the outcomes
 */
export async function sendParts({ client, apiKey, parts: wanted, choices }) {
  const journal = [];
  let requestedParts = 0;
  let number = 0;
  const work = async () => {
    while (requestedParts < wanted) {
      const left = wanted - requestedParts;
      const parts = Math.min(left, 1 + choices.below(LONGEST));
      const count = Math.min(RECIPIENTS, Math.floor(left / parts));
      requestedParts += parts * count;
      const to = Array.from({ length: count }, () => `49151${String(10_000_000 + number++)}`);
      const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomUUID() };
      const body = { to, from: 'Pair', channel: 'sms', message: textWithParts(parts) };
      const { status, data, wasUnknown } = await client.ask('POST', '/v2/send', { headers, body, repeats: true });
      const entries = status === 200 ? data.data : [];
      const refused = status !== 0 && status < 500 && !wasUnknown ? 'refused' : 'unknown';
      const outcome = status === 200 ? 'acknowledged' : refused;
      for (const [index, each] of to.entries()) {
        journal.push({ to: each, kind: 'v2', via: 'sms', outcome, id: entries[index]?.message_id ?? null, parts });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return journal;
}
