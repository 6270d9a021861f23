import { randomInt } from 'node:crypto';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { AttemptOutcome } from '../client.js';

/** Never rejects. */
export type HttpGet = (url: string) => Promise<AttemptOutcome>;

/**
 * The endpoint must know the verify token and respond with the challenge (Meta, "Webhooks", "Verification requests").
 * @throws {AppError} INVALID_REQUEST for `url` if the handshake fails
 */
export async function performHandshake(
  get: HttpGet,
  { url, verifyToken }: { url: string; verifyToken: string },
): Promise<void> {
  const challenge = String(randomInt(1_000_000_000, 10_000_000_000));
  const request = new URL(url);
  request.searchParams.set('hub.mode', 'subscribe');
  request.searchParams.set('hub.challenge', challenge);
  request.searchParams.set('hub.verify_token', verifyToken);
  const { ok, error, answer } = await get(request.href);
  if (!ok) throw invalidField('url', `did not respond to Meta's verification request: ${error}`);
  // Some frameworks encode the challenge as a JSON string.
  if (answer?.replace(/^"|"$/g, '') !== challenge) {
    throw invalidField('url', "did not respond to Meta's verification request with the challenge");
  }
}
