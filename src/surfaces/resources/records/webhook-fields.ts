import { Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../features/webhooks/delivery-log.js';
import { LOGGED_BODY_CHARACTERS } from '../../../features/webhooks/delivery-log-store.js';
import { MAX_URL_LENGTH } from '../../../features/webhooks/url.js';
import type { Webhook } from '../../../features/webhooks/webhooks.js';
import { RULE } from '../../http/validation.js';

const URL_RULE = `must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without user name and password`;

/** The URL of a webhook in a request. */
export const WebhookUrl = Type.String({
  maxLength: MAX_URL_LENGTH,
  description: 'http or https; a private address is refused, when it is given and whenever it is called.',
  examples: ['https://example.com/hooks/heliograph'],
  [RULE]: URL_RULE,
});

/**
 * The list of events in the request of a webhook.
 * @param known those that it may ask for
 */
export function webhookEvents<E extends string>(known: readonly E[], examples: readonly E[]) {
  const names = known.join(', ');
  return Type.Array(Type.Unsafe<E>({ type: 'string', enum: [...known], [RULE]: `must be one of ${names}` }), {
    minItems: 1,
    maxItems: known.length,
    uniqueItems: true,
    examples: [[...examples]],
    [RULE]: `must be an array of 1 to ${known.length} different ones of ${names}`,
  });
}

export const WebhookEnabled = Type.Boolean({
  description: '`true` enables a webhook again, whoever disabled it.',
  [RULE]: 'must be true or false',
});

/** In which shape a webhook is told. */
export const WebhookFormatWord = Type.Unsafe<Webhook['format']>({
  type: 'string',
  enum: ['standard', 'meta', 'twilio'],
  default: 'standard',
  description:
    '`meta`: deliveries have the shape and the signature of the webhooks of Meta’s Cloud API, for `message.received` and `message.status` of a WhatsApp channel. ' +
    '`twilio`: the same events as Twilio’s forms, with its signature; what the endpoint answers `message.received` with in TwiML is sent.',
  [RULE]: 'must be standard, meta or twilio',
});

/** A word that a customer shares with us, for formats that need one. */
const sharedWord = (description: string, example: string) =>
  Type.String({
    pattern: '^[!-~]{1,256}$',
    description,
    examples: [example],
    [RULE]: 'must be 1 to 256 printable characters without blanks',
  });

export const WebhookVerifyToken = sharedWord(
  'Of the format `meta`: the endpoint is asked once, by GET, whether it knows it.',
  'a-word-of-yours',
);

export const WebhookAppSecret = sharedWord(
  'Of the format `meta`: what `X-Hub-Signature-256` is made with. Without it one is made.',
  '3c9909afec25354d551dae21590bb26e',
);

export const WebhookAuthToken = sharedWord(
  'Of the format `twilio`: what `X-Twilio-Signature` is made with. Without it one is made.',
  '2f1b6c0f4d8a4e0fa3f0c7b1d5e69a87',
);

export const WebhookSecret = Type.String({
  description:
    'Signs deliveries as Standard Webhooks says, in the format `meta` as Meta’s app secret does, and in `twilio` as an auth token. It is told this once.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0p8sFvT1uE='],
});

export const DISABLED_REASON =
  'Why the server disabled it: `gone` (answered 410) or `failing` (for five days); null otherwise.';
export const PREVIOUS_SECRET = 'Until when deliveries are also signed with the secret before the last rotation.';

export const DeliveryId = Type.String({ format: 'uuid', description: 'Sent as `webhook-id`, the same at every try.' });
export const DeliveryState = Type.Unsafe<DeliveryEntry['status']>({
  type: 'string',
  enum: ['pending', 'delivered', 'failed'],
});
export const DeliveryBody = Type.String({
  description: `What is sent, byte for byte; of a longer one the first ${LOGGED_BODY_CHARACTERS} characters.`,
  examples: ['{"type":"message.status","timestamp":"2026-11-21T08:30:00.000Z","data":{"status":"delivered"}}'],
});
export const DeliveryTruncated = Type.Boolean({ description: 'The body is longer than it is shown.' });
export const LastError = Type.Union([Type.String(), Type.Null()], { examples: ['The endpoint answered 500.'] });
