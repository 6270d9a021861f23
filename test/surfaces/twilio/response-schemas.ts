/* Response schemas from Twilio's description of Account, Balance, Messages and Media (twilio/twilio-oai, twilio_api_v2010). */

const sidSchema = (...prefixes: string[]) => ({ type: 'string', pattern: `^(${prefixes.join('|')})[0-9a-fA-F]{32}$` });
/** An RFC 2822 date in UTC. */
const dateSchema = {
  type: 'string',
  pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} \\+0000$',
};
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const text = { type: 'string' };
const relativeUri = { type: 'string', pattern: '^/2010-04-01/Accounts/AC' };
/** Schema of an object with exactly these fields, all of which are required. */
const exactObject = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const MESSAGE = exactObject({
  body: text,
  num_segments: { type: 'string', pattern: '^\\d+$' },
  direction: { enum: ['inbound', 'outbound-api', 'outbound-call', 'outbound-reply'] },
  from: text,
  to: text,
  date_updated: orNull(dateSchema),
  price: orNull({ type: 'string', pattern: '^-?\\d+\\.\\d{5,}$' }),
  error_message: orNull(text),
  uri: relativeUri,
  account_sid: sidSchema('AC'),
  num_media: { type: 'string', pattern: '^\\d+$' },
  status: {
    enum: [
      ...['queued', 'sending', 'sent', 'failed', 'delivered', 'undelivered', 'receiving', 'received', 'accepted'],
      ...['scheduled', 'read', 'partially_delivered', 'canceled'],
    ],
  },
  messaging_service_sid: orNull(sidSchema('MG')),
  sid: sidSchema('SM', 'MM'),
  date_sent: orNull(dateSchema),
  date_created: orNull(dateSchema),
  error_code: orNull({ type: 'integer' }),
  price_unit: orNull({ type: 'string', pattern: '^[A-Z]{3}$' }),
  api_version: text,
  subresource_uris: { type: 'object', properties: { media: relativeUri } },
});

const MEDIA = exactObject({
  sid: sidSchema('ME'),
  account_sid: sidSchema('AC'),
  parent_sid: sidSchema('SM', 'MM'),
  content_type: text,
  date_created: dateSchema,
  date_updated: dateSchema,
  uri: relativeUri,
});

const pageSchema = (name: string, entry: object) =>
  exactObject({
    [name]: { type: 'array', items: entry },
    page: { type: 'integer' },
    page_size: { type: 'integer' },
    start: { type: 'integer' },
    end: { type: 'integer' },
    uri: relativeUri,
    first_page_uri: relativeUri,
    next_page_uri: orNull(relativeUri),
    previous_page_uri: orNull(relativeUri),
  });

export const MESSAGES = pageSchema('messages', MESSAGE);
export const MEDIA_LIST = pageSchema('media_list', MEDIA);

export const ACCOUNT = exactObject({
  auth_token: orNull(text),
  date_created: orNull(dateSchema),
  date_updated: orNull(dateSchema),
  friendly_name: orNull(text),
  owner_account_sid: orNull(sidSchema('AC')),
  sid: sidSchema('AC'),
  status: { enum: ['active', 'suspended', 'closed'] },
  subresource_uris: { type: 'object', additionalProperties: relativeUri },
  type: { enum: ['Trial', 'Full'] },
  uri: relativeUri,
});

export const BALANCE = exactObject({
  account_sid: sidSchema('AC'),
  balance: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
});

export const PROBLEM = exactObject({
  code: { type: 'integer' },
  message: text,
  more_info: { type: 'string', pattern: '^https://www\\.twilio\\.com/docs/errors/\\d{5}$' },
  status: { type: 'integer' },
});

/** Parameters of a send with valid values, including parameters that have no effect in Heliograph. */
export const PARAMETERS: readonly [string, string][] = [
  ['ApplicationSid', `AP${'a'.repeat(32)}`],
  ['MaxPrice', '0.05'],
  ['ProvideFeedback', 'true'],
  ['Attempt', '1'],
  ['ValidityPeriod', '36000'],
  ['ForceDelivery', 'false'],
  ['ContentRetention', 'retain'],
  ['AddressRetention', 'obfuscate'],
  ['SmartEncoded', 'true'],
  ['PersistentAction', 'geo:37.787890,-122.391664'],
  ['TrafficType', 'free'],
  ['ShortenUrls', 'true'],
  ['SendAsMms', 'false'],
  ['RiskCheck', 'disable'],
  ['FallbackFrom', '+15005550100'],
];
