import { Type } from '@sinclair/typebox';
import { AppError } from '../../platform/errors/app-error.js';
import { defineErrorResponses } from '../http/error-responses.js';
import type { ErrorRenderer, PublicError } from '../http/errors.js';
import { moreInfo, TWILIO_CODES, type TwilioCode } from './twilio-codes.js';

export class TwilioError extends AppError {
  constructor(
    readonly twilioCode: TwilioCode,
    {
      code,
      message,
      fields,
      retryAfterSeconds,
    }: Pick<AppError, 'code' | 'message'> & Partial<Pick<AppError, 'fields' | 'retryAfterSeconds'>>,
    cause?: unknown,
  ) {
    super(code, message, fields, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  }
}

/** @param rule text that follows the parameter's name in the message */
export function badParameter(code: TwilioCode, field: string, rule: string, cause?: unknown): TwilioError {
  return new TwilioError(
    code,
    { code: 'INVALID_REQUEST', message: `${field} ${rule}`, fields: [{ field, rule }] },
    cause,
  );
}

/** Twilio's error shape, in which clients evaluate `code`. */
const ErrorTwilio = Type.Object(
  {
    code: Type.Integer({ description: "Twilio's code, for example 21211 if `To` is not a phone number." }),
    message: Type.String({ description: 'The parameter and the rule that it breaks.' }),
    more_info: Type.String({ description: "URL of Twilio's explanation." }),
    status: Type.Integer({ description: 'HTTP status.' }),
  },
  {
    examples: [
      {
        code: 21211,
        message: 'To must be a phone number of 7 to 15 digits that begins with an assigned country calling code',
        more_info: 'https://www.twilio.com/docs/errors/21211',
        status: 400,
      },
    ],
  },
);

/** Statuses of HTTP errors and of errors that do not exist in Twilio's API. */
const KEPT_STATUSES: ReadonlySet<number> = new Set([408, 413, 415, 417, 422, 431, 501, 503]);

function createRenderer(invalidCode: TwilioCode): ErrorRenderer {
  const statusOf = (error: PublicError): number =>
    KEPT_STATUSES.has(error.status) ? error.status : TWILIO_CODES[findTwilioCode(error, invalidCode)].status;
  const render = (error: PublicError) => {
    const code = findTwilioCode(error, invalidCode);
    // Error texts of the spending guard contain the field name `to`, as on the other surfaces.
    const message = code === 21408 ? error.message.replace(/^to(?= must )/, 'To') : error.message;
    return { code, message, more_info: moreInfo(code), status: statusOf(error) };
  };
  return Object.assign(render, { statusOf });
}

export const renderTwilio = createRenderer(20422);
/** Twilio's Verify API has its own code for invalid parameters. */
export const renderVerify = createRenderer(60200);

function findTwilioCode(error: PublicError, invalidCode: TwilioCode): TwilioCode {
  if (error instanceof TwilioError) return error.twilioCode;
  switch (error.code) {
    case 'UNAUTHORIZED':
      return 20003;
    case 'FORBIDDEN':
    case 'CONFIRMATION_NEEDED':
      return 20403;
    case 'INSUFFICIENT_BALANCE':
      return 30002;
    case 'DESTINATION_REFUSED':
      return 21408;
    case 'SENDING_HELD':
      return 30450;
    case 'WINDOW_EXPIRED':
      return 63016;
    case 'OPTED_OUT':
      return 21610;
    case 'CARRIER_REFUSED':
      return 21612;
    case 'NOT_FOUND':
    case 'GONE':
      return 20404;
    case 'CONFLICT':
    case 'CHANGED_MEANWHILE':
      return 20409;
    case 'RATE_LIMITED':
    case 'LIMIT_REACHED':
      return 20429;
    case 'INTERNAL':
      return 20500;
    case 'UNAVAILABLE':
      return 20503;
    default:
      return invalidCode;
  }
}

interface Translation {
  name: string;
  code: TwilioCode;
}

/** Twilio's parameters and codes, keyed by the first segment of the name of a field in `/v2/send`. */
const SEND_FIELDS: Readonly<Record<string, Translation>> = {
  to: { name: 'To', code: 21211 },
  from: { name: 'From', code: 21606 },
  message: { name: 'Body', code: 21617 },
  media_url: { name: 'MediaUrl', code: 21620 },
  video: { name: 'MediaUrl', code: 21620 },
  audio: { name: 'MediaUrl', code: 21620 },
  template_id: { name: 'ContentSid', code: 21655 },
  template_data: { name: 'ContentVariables', code: 21656 },
  scheduled_at: { name: 'SendAt', code: 35114 },
  validity_period: { name: 'ValidityPeriod', code: 90007 },
  StatusCallback: { name: 'StatusCallback', code: 21609 },
};

/** Converts an error according to its first field, and returns other errors unchanged. */
export function toSendError(error: unknown): unknown {
  if (error instanceof TwilioError || !(error instanceof AppError)) return error;
  const [first] = error.fields;
  if (error.code !== 'INVALID_REQUEST' || !first) return error;
  const head = /^\w+/.exec(first.field)?.[0] ?? '';
  const translation = Object.hasOwn(SEND_FIELDS, head) ? SEND_FIELDS[head] : undefined;
  if (!translation) return error;
  const isMissing = head === 'message' && first.kind === 'missing';
  const code = isMissing ? 21602 : translation.code;
  const rule = isMissing ? 'is required without MediaUrl and ContentSid' : first.rule;
  // If the text is too long, the contract's error is a whole sentence, so it cannot simply follow a parameter name.
  return badParameter(code, translation.name, first.kind === 'too-long' ? `is too long: ${rule}` : rule, error);
}

/** Names that error messages use for fields, including fields that come from the service's settings and not from parameters. */
const VERIFY_FIELDS: Readonly<Record<string, string>> = {
  to: 'To',
  from: "The service's sender",
  'fallback.from': "The service's sender",
  template_id: "The service's template",
};

/** @param limitCode Twilio's code for too many requests */
export function toVerificationError(error: unknown, limitCode: 60202 | 60203): unknown {
  if (error instanceof TwilioError || !(error instanceof AppError)) return error;
  if (error.code === 'RATE_LIMITED') return new TwilioError(limitCode, error);
  if (error.code === 'SENDING_HELD') return new TwilioError(60410, error);
  const [first] = error.fields;
  if (error.code !== 'INVALID_REQUEST' || !first) return error;
  return badParameter(60200, VERIFY_FIELDS[first.field] ?? first.field, first.rule, error);
}

const DESCRIPTIONS = {
  400: 'A parameter is invalid or refused; `code` has the reason.',
  401: 'The SID or the key is missing or invalid (20003).',
  402: 'The balance is too low; nothing was queued (30002).',
  403: 'The key lacks the scope `rest` (20403), or its account is disabled (20005).',
  404: 'The message does not exist or belongs to another account (20404).',
  409: 'The message is in a state that does not allow it (20009, 30409), or a message created with this token was deleted (20409).',
  415: 'The request body is not a form.',
};

export const errorsTwilio = defineErrorResponses({ schema: ErrorTwilio, render: renderTwilio }, DESCRIPTIONS);
