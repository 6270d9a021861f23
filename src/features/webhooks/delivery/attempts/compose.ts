import { buildDeliveryBody } from '../../body.js';
import { USER_AGENT } from '../../client.js';
import type { FormatFacts } from '../../formats.js';
import { buildMetaBody } from '../../meta/body.js';
import { computeHubSignature } from '../../meta/signature.js';
import { sign } from '../../signature.js';
import { buildTwilioForm, encodeForm } from '../../twilio/form.js';
import { computeTwilioSignature } from '../../twilio/signature.js';
import type { ClaimedDelivery } from '../delivery-store.js';

export interface ComposedRequest {
  body: string;
  headers: Record<string, string>;
}

/**
 * A previous secret that has not expired at `now` (business time) also signs the request. `signedAt` is the real time,
 * because receivers reject signatures that are minutes old.
 */
export function composeRequest(
  delivery: ClaimedDelivery,
  facts: FormatFacts | undefined,
  now: Date,
  signedAt: Date,
): ComposedRequest {
  const { id, url, secret, previousSecret, previousSecretExpiresAt } = delivery;
  const commonHeaders = { 'content-type': 'application/json', 'user-agent': USER_AGENT, 'webhook-id': id };
  if (facts?.format === 'meta') {
    const body = buildMetaBody(delivery, facts.facts);
    return { body, headers: { ...commonHeaders, 'x-hub-signature-256': computeHubSignature(secret, body) } };
  }
  if (facts?.format === 'twilio') {
    const fields = buildTwilioForm(delivery, facts.facts);
    return {
      body: encodeForm(fields),
      headers: {
        ...commonHeaders,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'i-twilio-idempotency-token': id,
        'x-twilio-signature': computeTwilioSignature(secret, url, fields),
      },
    };
  }
  const body = buildDeliveryBody(delivery);
  const timestamp = Math.floor(signedAt.getTime() / 1000);
  const overlaps = previousSecret !== null && previousSecretExpiresAt !== null && now < previousSecretExpiresAt;
  const secrets = overlaps ? [secret, previousSecret] : [secret];
  return {
    body,
    headers: {
      ...commonHeaders,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(secrets, { id, timestamp, body }),
    },
  };
}
