import { deliveryBody } from '../../body.js';
import { USER_AGENT } from '../../client.js';
import type { FormatFacts } from '../../formats.js';
import { metaBody } from '../../meta/body.js';
import { hubSignature } from '../../meta/signature.js';
import { sign } from '../../signature.js';
import { encodeForm, twilioForm } from '../../twilio/form.js';
import { twilioSignature } from '../../twilio/signature.js';
import type { ClaimedDelivery } from '../delivery-store.js';

export interface ComposedRequest {
  body: string;
  headers: Record<string, string>;
}

/**
 * @param now business time; until a previous secret expires, it signs too
 * @param signedAt the real time, because receivers reject signatures that are minutes old
 */
export function composeRequest(
  delivery: ClaimedDelivery,
  facts: FormatFacts | undefined,
  now: Date,
  signedAt: Date,
): ComposedRequest {
  const { id, url, secret, previousSecret, previousSecretExpiresAt } = delivery;
  const common = { 'content-type': 'application/json', 'user-agent': USER_AGENT, 'webhook-id': id };
  if (facts?.format === 'meta') {
    const body = metaBody(delivery, facts.facts);
    return { body, headers: { ...common, 'x-hub-signature-256': hubSignature(secret, body) } };
  }
  if (facts?.format === 'twilio') {
    const fields = twilioForm(delivery, facts.facts);
    return {
      body: encodeForm(fields),
      headers: {
        ...common,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'i-twilio-idempotency-token': id,
        'x-twilio-signature': twilioSignature(secret, url, fields),
      },
    };
  }
  const body = deliveryBody(delivery);
  const timestamp = Math.floor(signedAt.getTime() / 1000);
  const overlaps = previousSecret !== null && previousSecretExpiresAt !== null && now < previousSecretExpiresAt;
  const secrets = overlaps ? [secret, previousSecret] : [secret];
  return {
    body,
    headers: {
      ...common,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(secrets, { id, timestamp, body }),
    },
  };
}
