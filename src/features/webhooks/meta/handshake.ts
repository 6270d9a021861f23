import { randomInt } from 'node:crypto';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { AttemptOutcome } from '../delivery/attempts/client.js';

/** Asks an address by GET. Never rejects. */
export type Get = (url: string) => Promise<AttemptOutcome>;

/**
 * Asks the endpoint of a webhook in Meta's format whether it is meant: it must know the verify token, and answer with the
 * challenge (Meta, "Webhooks", "Verification requests").
 * @throws {AppError} INVALID_REQUEST naming `url` where it does not
 */
export async function shakeHands(get: Get, { url, verifyToken }: { url: string; verifyToken: string }): Promise<void> {
  const challenge = String(randomInt(1_000_000_000, 10_000_000_000));
  const asked = new URL(url);
  asked.searchParams.set('hub.mode', 'subscribe');
  asked.searchParams.set('hub.challenge', challenge);
  asked.searchParams.set('hub.verify_token', verifyToken);
  const { ok, error, answer } = await get(asked.href);
  if (!ok) throw invalidField('url', `did not answer the challenge that Meta's format begins with: ${error}`);
  // Some frameworks write a text as JSON.
  if (answer?.replace(/^"|"$/g, '') !== challenge) {
    throw invalidField('url', "answered the challenge that Meta's format begins with by something else");
  }
}
