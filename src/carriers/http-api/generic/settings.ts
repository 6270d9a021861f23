import { type Static, Type } from '@sinclair/typebox';
import { LIMITS, PATH_SECRET, PUBLIC_URL } from '../presets/preset.js';

const text = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description, ...options }));

const url = (description: string) => text(description, { pattern: '^https?://[^\\s]+$' });

const choice = <const Values extends readonly string[]>(
  values: Values,
  byDefault: Values[number],
  description: string,
) => Type.Unsafe<Values[number]>({ type: 'string', enum: values, default: byDefault, description });

const texts = (description: string) => Type.Optional(Type.Record(Type.String(), Type.String(), { description }));

const path = (description: string) => text(`${description} A path, such as data[0].id.`);

const codes = (description: string) =>
  text(`${description} Separated by commas; 30* matches every code that starts with 30.`);

export const genericSettings = Type.Object(
  {
    preset: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        description: 'The vendor, if there is a preset for it. Check the presets first.',
      }),
    ),
    url: Type.String({
      pattern: '^https?://[^\\s]+$',
      maxLength: 2_000,
      description:
        'URL that sends a message. Variables, also in query, headers, form and json: {id} {attempt_id} {to} {to_plus} {from} {from_plus} {text} {segments} {encoding} {hex} {receipt_url} {validity_seconds} {validity_minutes} {valid_until} {expires_at}.',
    }),
    method: choice(['POST', 'GET', 'PUT'], 'POST', 'HTTP method of the request.'),
    query: texts('Query fields, as a JSON object of texts.'),
    headers: texts('Additional headers, as a JSON object of texts. Do not put secrets here.'),
    form: texts('Body as a form: a JSON object of texts.'),
    json: Type.Optional(
      Type.Unknown({ description: 'Body as JSON. A text that is exactly one variable becomes its value.' }),
    ),
    encodingGsm: Type.String({ default: 'gsm7', description: 'Value of {encoding} for texts in the GSM alphabet.' }),
    encodingUcs2: Type.String({ default: 'ucs2', description: 'Value of {encoding} for other texts.' }),

    authentication: choice(
      ['none', 'basic', 'bearer', 'header', 'query', 'form', 'oauth'],
      'none',
      'How requests authenticate. basic: username and secret; bearer: secret as the token; header, query, form: secret in the header or field secretName; oauth: a token from the OAuth client credentials grant.',
    ),
    username: text('User name or client ID. With authentication query or form, sent in the field usernameName.'),
    usernameName: text('Field name for username.'),
    secret: text('Password, token, key or client secret.'),
    secretName: text('Header or field name for secret.', { pattern: '^[A-Za-z0-9_.-]+$' }),
    tokenUrl: url('Token URL (OAuth).'),
    scope: text('Scope of the token (OAuth).'),

    success: Type.String({
      default: 'status = 2xx',
      maxLength: 2_000,
      description:
        'Condition for an accepted message, e.g. status = 200 and messages[0].status = "0". Operands: status, text or a path. Operators: =, !=, in (…), ~ /pattern/, exists; combine them with and, or, not.',
    }),
    idPath: path("The vendor's message ID in the response."),
    idPattern: text('Pattern whose first group is the message ID, for a response that is not JSON.'),
    codePath: path('The error code in the response.'),
    codePattern: text('Pattern whose first group is the error code.'),
    messagePath: path('The error text in the response.'),
    finalCodes: codes('Codes for messages refused for good.'),
    againCodes: codes('Codes for messages to retry.'),
    throttledCodes: codes('Codes for throttling: the carrier pauses, for the time in Retry-After if there is one.'),
    creditCodes: codes('Codes for used-up credit: the carrier pauses.'),
    credentialCodes: codes('Codes for rejected credentials: the carrier pauses.'),

    balanceUrl: url('URL that returns the balance (GET).'),
    balancePath: path('The balance in that response.'),

    publicUrl: PUBLIC_URL,
    callbackSecret: Type.Optional(PATH_SECRET),
    callbackUsername: text('User name with which the vendor calls this server (HTTP Basic).'),
    callbackPassword: text('Password with which the vendor calls this server (HTTP Basic).'),
    callbackSignatureHeader: text('Header with an HMAC of the body.', { pattern: '^[A-Za-z0-9-]+$' }),
    callbackSignatureSecret: text('Secret of the HMAC.'),
    callbackSignatureAlgorithm: choice(['sha256', 'sha1', 'sha512'], 'sha256', 'Hash function of the HMAC.'),
    callbackSignatureEncoding: choice(['hex', 'base64'], 'hex', 'Encoding of the HMAC.'),
    callbackSignaturePrefix: text('Prefix of the header value, e.g. sha256=.'),
    callbackAddresses: text('IP addresses and networks the vendor calls from, separated by commas.'),
    callbackAnswer: Type.String({
      default: '',
      maxLength: 500,
      description: 'Response body that the vendor expects.',
    }),

    receiptItems: path('The list of receipts in a call; left out: the call is one receipt.'),
    receiptId: path("The vendor's message ID in a receipt; ?name reads a query field."),
    receiptOurId: Type.Boolean({
      default: false,
      description:
        'Whether receiptId contains an ID of this server, because the vendor assigns none: {attempt_id}, which {receipt_url} contains as ?message, or {id} if the vendor sends every {id} only once.',
    }),
    receiptStatus: path('The state in a receipt.'),
    receiptStates: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Unsafe<string>({
          type: 'string',
          enum: ['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'none'],
        }),
        {
          description:
            'Meaning of the vendor’s states: a JSON object with the values delivered, read, undelivered, failed, rejected, expired, or none for a state that is not final.',
        },
      ),
    ),
    receiptCode: path('The error code in a receipt.'),
    receiptMessage: path('The error text in a receipt.'),
    receiptAt: path('The time in a receipt.'),

    inboundItems: path('The list of messages in a call; left out: the call is one message.'),
    inboundId: path('The message ID in an inbound message.'),
    inboundFrom: path('The sender in an inbound message.'),
    inboundTo: path('Your number in an inbound message.'),
    inboundText: path('The text in an inbound message.'),
    inboundAt: path('The time in an inbound message.'),

    pollReceiptUrl: url(
      'URL that returns the receipt of one message (GET), with {carrier_id}. For vendors without callbacks.',
    ),
    pollReceiptsUrl: url('URL that returns all receipts (GET).'),
    pollInboundUrl: url('URL that returns inbound messages (GET).'),
    pollSeconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 60,
      description: 'Polling interval in seconds.',
    }),
    ...LIMITS,
  },
  { additionalProperties: false },
);

export type GenericSettings = Static<typeof genericSettings>;

export const GENERIC_SECRETS = [
  'secret',
  'callbackSecret',
  'callbackPassword',
  'callbackSignatureSecret',
] as const satisfies readonly (keyof GenericSettings)[];

export const GENERIC_DESTINATIONS = [
  'url',
  'tokenUrl',
  'balanceUrl',
  'pollReceiptUrl',
  'pollReceiptsUrl',
  'pollInboundUrl',
  'publicUrl',
] as const satisfies readonly (keyof GenericSettings)[];
