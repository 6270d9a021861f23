/* Answers in Twilio's description of its Account, Balance, Messages and Media resources (twilio/twilio-oai, twilio_api_v2010). */

const sid = (...prefixes: string[]) => ({ type: 'string', pattern: `^(${prefixes.join('|')})[0-9a-fA-F]{32}$` });
/** RFC 2822 in UTC. */
const date = { type: 'string', pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} \\+0000$' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const text = { type: 'string' };
const relative = { type: 'string', pattern: '^/2010-04-01/Accounts/AC' };
/** All fields are required, and no others allowed. */
const whole = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const MESSAGE = whole({
  body: text,
  num_segments: { type: 'string', pattern: '^\\d+$' },
  direction: { enum: ['inbound', 'outbound-api', 'outbound-call', 'outbound-reply'] },
  from: text,
  to: text,
  date_updated: orNull(date),
  price: orNull({ type: 'string', pattern: '^-?\\d+\\.\\d{5,}$' }),
  error_message: orNull(text),
  uri: relative,
  account_sid: sid('AC'),
  num_media: { type: 'string', pattern: '^\\d+$' },
  status: {
    enum: [
      ...['queued', 'sending', 'sent', 'failed', 'delivered', 'undelivered', 'receiving', 'received', 'accepted'],
      ...['scheduled', 'read', 'partially_delivered', 'canceled'],
    ],
  },
  messaging_service_sid: orNull(sid('MG')),
  sid: sid('SM', 'MM'),
  date_sent: orNull(date),
  date_created: orNull(date),
  error_code: orNull({ type: 'integer' }),
  price_unit: orNull({ type: 'string', pattern: '^[A-Z]{3}$' }),
  api_version: text,
  subresource_uris: { type: 'object', properties: { media: relative } },
});

const MEDIA = whole({
  sid: sid('ME'),
  account_sid: sid('AC'),
  parent_sid: sid('SM', 'MM'),
  content_type: text,
  date_created: date,
  date_updated: date,
  uri: relative,
});

const pages = (name: string, entry: object) =>
  whole({
    [name]: { type: 'array', items: entry },
    page: { type: 'integer' },
    page_size: { type: 'integer' },
    start: { type: 'integer' },
    end: { type: 'integer' },
    uri: relative,
    first_page_uri: relative,
    next_page_uri: orNull(relative),
    previous_page_uri: orNull(relative),
  });

export const MESSAGES = pages('messages', MESSAGE);
export const MEDIA_LIST = pages('media_list', MEDIA);

export const ACCOUNT = whole({
  auth_token: orNull(text),
  date_created: orNull(date),
  date_updated: orNull(date),
  friendly_name: orNull(text),
  owner_account_sid: orNull(sid('AC')),
  sid: sid('AC'),
  status: { enum: ['active', 'suspended', 'closed'] },
  subresource_uris: { type: 'object', additionalProperties: relative },
  type: { enum: ['Trial', 'Full'] },
  uri: relative,
});

export const BALANCE = whole({
  account_sid: sid('AC'),
  balance: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
});

export const PROBLEM = whole({
  code: { type: 'integer' },
  message: text,
  more_info: { type: 'string', pattern: '^https://www\\.twilio\\.com/docs/errors/\\d{5}$' },
  status: { type: 'integer' },
});

/** Parameters of a send with valid values, including those that have no effect here. */
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
