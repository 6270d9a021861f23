import { Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../features/webhooks/delivery-log.js';
import { LOGGED_BODY_CHARACTERS } from '../../../features/webhooks/delivery-log-store.js';
import { MAX_URL_LENGTH } from '../../../features/webhooks/url.js';
import type { Webhook } from '../../../features/webhooks/webhooks.js';
import { RULE } from '../../http/validation.js';

const URL_RULE = `must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without a user name or password`;

export const WebhookUrl = Type.String({
  maxLength: MAX_URL_LENGTH,
  description: 'Private addresses are refused, both here and at each delivery.',
  examples: ['https://example.com/hooks/heliograph'],
  [RULE]: URL_RULE,
});

export function webhookEvents<E extends string>(eventTypes: readonly E[], examples: readonly E[]) {
  const names = eventTypes.join(', ');
  return Type.Array(Type.Unsafe<E>({ type: 'string', enum: [...eventTypes], [RULE]: `must be one of ${names}` }), {
    minItems: 1,
    maxItems: eventTypes.length,
    uniqueItems: true,
    examples: [[...examples]],
    [RULE]: `must be an array of 1 to ${eventTypes.length} different events: ${names}`,
  });
}

export const WebhookEnabled = Type.Boolean({
  description: '`true` enables the webhook, even if the server disabled it.',
  [RULE]: 'must be true or false',
});

export const WebhookFormatSchema = Type.Unsafe<Webhook['format']>({
  type: 'string',
  enum: ['standard', 'meta', 'twilio'],
  default: 'standard',
  description:
    '`meta`: deliveries have the shape and signature of Meta’s Cloud API webhooks, for `message.received` and `message.status` of a WhatsApp channel. ' +
    '`twilio`: the same events as forms with Twilio’s fields and signature; TwiML in the response to `message.received` is sent as a reply.',
  [RULE]: 'must be standard, meta or twilio',
});

/** Secret or token that both the customer and the server know, for webhook formats that require one. */
const sharedValue = (description: string, example: string) =>
  Type.String({
    pattern: '^[!-~]{1,256}$',
    description,
    examples: [example],
    [RULE]: 'must be 1 to 256 printable characters without spaces',
  });

export const WebhookVerifyToken = sharedValue(
  'For the format `meta`: sent to the endpoint once in a GET request, so that it can verify the server.',
  'a-word-of-yours',
);

export const WebhookAppSecret = sharedValue(
  'For the format `meta`: signs `X-Hub-Signature-256`. Generated if absent.',
  '3c9909afec25354d551dae21590bb26e',
);

export const WebhookAuthToken = sharedValue(
  'For the format `twilio`: signs `X-Twilio-Signature`. Generated if absent.',
  '2f1b6c0f4d8a4e0fa3f0c7b1d5e69a87',
);

export const WebhookSecret = Type.String({
  description:
    'Signs deliveries according to Standard Webhooks; used as the app secret in the format `meta` and as the auth token in `twilio`. Shown only once.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0p8sFvT1uE='],
});

export const DISABLED_REASON =
  'Why the server disabled it: `gone` (the endpoint responded with 410) or `failing` (for five days); null otherwise.';
export const PREVIOUS_SECRET = 'Until then, deliveries are also signed with the previous secret.';

export const DeliveryId = Type.String({
  format: 'uuid',
  description: 'Sent as `webhook-id`, with the same value in every attempt.',
});
export const DeliveryState = Type.Unsafe<DeliveryEntry['status']>({
  type: 'string',
  enum: ['pending', 'delivered', 'failed'],
});
export const DeliveryBody = Type.String({
  description: `The request body exactly as sent, cut after ${LOGGED_BODY_CHARACTERS} characters.`,
  examples: ['{"type":"message.status","timestamp":"2026-11-21T08:30:00.000Z","data":{"status":"delivered"}}'],
});
export const DeliveryTruncated = Type.Boolean({ description: 'Whether `body` was cut.' });
export const LastError = Type.Union([Type.String(), Type.Null()], { examples: ['The endpoint answered 500.'] });
