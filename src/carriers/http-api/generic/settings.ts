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

const path = (description: string) => text(`${description} A path such as data[0].id.`);

const codes = (description: string) => text(`${description} Separated by commas; 30* is every code that begins so.`);

/** What an operator sets of a vendor for which there is no preset. */
export const genericSettings = Type.Object(
  {
    preset: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        description: 'The vendor, where it is one of the presets; see them first.',
      }),
    ),
    url: Type.String({
      pattern: '^https?://[^\\s]+$',
      maxLength: 2_000,
      description:
        'Where a message is sent to. Here and in query, headers, form and json: {id} {attempt_id} {to} {to_plus} {from} {from_plus} {text} {segments} {encoding} {hex} {receipt_url} {validity_seconds} {validity_minutes} {valid_until} {expires_at}.',
    }),
    method: choice(['POST', 'GET', 'PUT'], 'POST', 'Method of that request.'),
    query: texts('Fields of its query, as a JSON object of texts.'),
    headers: texts('Further headers, as a JSON object of texts. No secret belongs here.'),
    form: texts('Its body as a form: a JSON object of texts.'),
    json: Type.Optional(
      Type.Unknown({ description: 'Its body as JSON. A text that is one variable becomes its value.' }),
    ),
    encodingGsm: Type.String({ default: 'gsm7', description: 'What {encoding} is of GSM characters.' }),
    encodingUcs2: Type.String({ default: 'ucs2', description: 'What it is of other ones.' }),

    authentication: choice(
      ['none', 'basic', 'bearer', 'header', 'query', 'form', 'oauth'],
      'none',
      'How it says who you are: username and secret by Basic; secret as a bearer token; secret in the header, query or form field secretName; or a token by OAuth client credentials.',
    ),
    username: text(
      'User name or client id; sent in the query or form field usernameName where authentication is one of them.',
    ),
    usernameName: text('Name of the field of username.'),
    secret: text('Password, token, key or client secret.'),
    secretName: text('Name of the header or field of secret.', { pattern: '^[A-Za-z0-9_.-]+$' }),
    tokenUrl: url('Where a token is had (OAuth).'),
    scope: text('What the token is for (OAuth).'),

    success: Type.String({
      default: 'status = 2xx',
      maxLength: 2_000,
      description:
        'When a message was taken, e.g. status = 200 and messages[0].status = "0". Compared is status, text or a path, by =, !=, in (…), ~ /pattern/ or exists, joined by and, or, not.',
    }),
    idPath: path("Where the vendor's id of the message is in the answer."),
    idPattern: text('Pattern whose first group is that id, of an answer that is not JSON.'),
    codePath: path('Where the code of an error is.'),
    codePattern: text('Pattern whose first group is that code.'),
    messagePath: path('Where the words of an error are.'),
    finalCodes: codes('Codes that refuse a message for good.'),
    againCodes: codes('Codes upon which it is tried again.'),
    throttledCodes: codes('Codes that ask for a pause. Retry-After is obeyed.'),
    creditCodes: codes('Codes that say that the money there is used up: the carrier pauses.'),
    credentialCodes: codes('Codes that refuse who you are: the carrier pauses.'),

    balanceUrl: url('Where the balance is read (GET).'),
    balancePath: path('Where it is in the answer.'),

    publicUrl: PUBLIC_URL,
    callbackSecret: Type.Optional(PATH_SECRET),
    callbackUsername: text('User name with which the vendor calls (Basic).'),
    callbackPassword: text('Password with which it calls.'),
    callbackSignatureHeader: text('Header with the HMAC of the body.', { pattern: '^[A-Za-z0-9-]+$' }),
    callbackSignatureSecret: text('Secret of that HMAC.'),
    callbackSignatureAlgorithm: choice(['sha256', 'sha1', 'sha512'], 'sha256', 'Hash of that HMAC.'),
    callbackSignatureEncoding: choice(['hex', 'base64'], 'hex', 'How it is written.'),
    callbackSignaturePrefix: text('What stands before it, e.g. sha256=.'),
    callbackAddresses: text('Addresses and networks that the vendor calls from, separated by commas.'),
    callbackAnswer: Type.String({
      default: '',
      maxLength: 500,
      description: 'What the vendor wants to read as the answer.',
    }),

    receiptItems: path('Where the list of receipts is in a call; left out: the call is one.'),
    receiptId: path("Where the vendor's id of the message is in one; ?name is a field of the query."),
    receiptOurId: Type.Boolean({
      default: false,
      description:
        'Whether that is our own ID, because the vendor gives none: {attempt_id}, which ?message of {receipt_url} holds, or {id} for a vendor that sends one {id} only once.',
    }),
    receiptStatus: path('Where its state is.'),
    receiptStates: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Unsafe<string>({
          type: 'string',
          enum: ['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'none'],
        }),
        {
          description:
            'What its states mean: a JSON object of delivered, read, undelivered, failed, rejected, expired; none: it is on its way.',
        },
      ),
    ),
    receiptCode: path('Where its error code is.'),
    receiptMessage: path('Where its words are.'),
    receiptAt: path('Where its time is.'),

    inboundItems: path('Where the list of messages is in a call; left out: the call is one.'),
    inboundId: path('Where the id of one is.'),
    inboundFrom: path('Where its sender is.'),
    inboundTo: path('Where your number is.'),
    inboundText: path('Where its text is.'),
    inboundAt: path('Where its time is.'),

    pollReceiptUrl: url(
      'Where the receipt of one message is read (GET), with {carrier_id}, of a vendor that calls nowhere.',
    ),
    pollReceiptsUrl: url('Where the receipts of all are read (GET).'),
    pollInboundUrl: url('Where messages that came in are read (GET).'),
    pollSeconds: Type.Integer({ minimum: 1, maximum: 86_400, default: 60, description: 'How often each is read.' }),
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
