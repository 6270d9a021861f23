import { Type } from '@sinclair/typebox';
import { AppError, type FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { errorsOf } from '../http/error-responses.js';
import type { ErrorRenderer, PublicError } from '../http/errors.js';
import { META_CODES, type MetaCode, NO_SUCH_OBJECT } from './meta-codes.js';

/** An error whose code in Meta's API the place knows that it came from. */
export class MetaError extends AppError {
  constructor(
    readonly metaCode: MetaCode,
    {
      code,
      message,
      fields,
      forPeople,
    }: Pick<AppError, 'code' | 'message' | 'fields'> & Partial<Pick<AppError, 'forPeople'>>,
    cause?: unknown,
  ) {
    super(code, message, fields, { cause, forPeople });
  }
}

/** Meta's body of an error; clients decide on `code`. */
const ErrorGraph = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'The code and its meaning.' }),
      type: Type.String({ examples: ['OAuthException'] }),
      code: Type.Integer({ description: "Meta's code, such as 131047 where the 24-hour window is closed." }),
      error_subcode: Type.Optional(Type.Integer({ description: '33 of 100: the object of the path does not exist.' })),
      error_user_title: Type.Optional(
        Type.String({ description: "With Meta's refusal of a template, say: its words for people." }),
      ),
      error_user_msg: Type.Optional(Type.String()),
      error_data: Type.Optional(
        Type.Object({
          messaging_product: Type.Literal('whatsapp'),
          details: Type.String({ description: 'What is wrong: the field and the rule that it breaks.' }),
        }),
      ),
      fbtrace_id: Type.String({ description: 'As `X-Request-Id`.' }),
    }),
  },
  {
    examples: [
      {
        error: {
          message: '(#131008) A required parameter is missing',
          type: 'OAuthException',
          code: 131008,
          error_data: { messaging_product: 'whatsapp', details: 'text is required where type is text' },
          fbtrace_id: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
        },
      },
    ],
  },
);

/** An error in Meta's shape, with Meta's code and status for what it means. */
export const renderGraph: ErrorRenderer = Object.assign(
  (error: PublicError, requestId: string) => {
    const code = metaCodeOf(error);
    return {
      error: {
        message: `(#${code}) ${META_CODES[code].title}`,
        type: 'OAuthException',
        code,
        ...(error.code === 'NOT_FOUND' && code === 100 && { error_subcode: NO_SUCH_OBJECT }),
        ...(error.forPeople?.title && { error_user_title: error.forPeople.title }),
        ...(error.forPeople?.text && { error_user_msg: error.forPeople.text }),
        error_data: { messaging_product: 'whatsapp' as const, details: error.message },
        fbtrace_id: requestId,
      },
    };
  },
  {
    statusOf: (error: PublicError): number => {
      // What is wrong as HTTP, and what Meta's API does not have, keeps its status.
      if (KEPT_STATUSES.has(error.status)) return error.status;
      return META_CODES[metaCodeOf(error)].status;
    },
  },
);

const KEPT_STATUSES: ReadonlySet<number> = new Set([408, 413, 415, 417, 422, 431, 501, 503]);

function metaCodeOf(error: PublicError): MetaCode {
  if (error instanceof MetaError) return error.metaCode;
  switch (error.code) {
    case 'UNAUTHORIZED':
      return 190;
    case 'FORBIDDEN':
    case 'CONFIRMATION_NEEDED':
      return 10;
    case 'INSUFFICIENT_BALANCE':
      return 131042;
    case 'WINDOW_EXPIRED':
      return 131047;
    case 'OPTED_OUT':
      return 131050;
    case 'CARRIER_REFUSED':
      return carrierCode(error.carrierCode);
    case 'DESTINATION_REFUSED':
      return 130497;
    case 'RATE_LIMITED':
    case 'LIMIT_REACHED':
    case 'SENDING_HELD':
      return 130429;
    case 'INTERNAL':
      return 131000;
    case 'UNAVAILABLE':
      return 131016;
    default:
      return 100;
  }
}

/** Meta's code of what a carrier refused: its own, where it is Meta's, and else that of a message that is not delivered. */
export function carrierCode(code: string | null | undefined, otherwise: MetaCode = 131026): MetaCode {
  return code && Object.hasOwn(META_CODES, code) ? (Number(code) as MetaCode) : otherwise;
}

/** The error of what is no message: a carrier's refusal without a code of Meta's is one of a parameter; others as they are. */
export function ofNoMessage(error: unknown): unknown {
  return error instanceof AppError && error.code === 'CARRIER_REFUSED'
    ? new MetaError(carrierCode(error.carrierCode, 100), error)
    : error;
}

/** The error of a message whose fields break rules; others as they are. */
export function ofMessage(error: unknown, names: Readonly<Record<string, string>> = {}): unknown {
  if (error instanceof MetaError || !(error instanceof AppError)) return error;
  // A file that a field names and that is not there is no object of the path.
  if ((error.code !== 'INVALID_REQUEST' && error.code !== 'NOT_FOUND') || error.fields.length === 0) return error;
  const renamed = renameFields(error, names);
  return new MetaError(renamed.fields.some(isMissing) ? 131008 : 131009, renamed, error);
}

/** The same error with the fields as the request has them. */
export function renameFields(error: AppError, names: Readonly<Record<string, string>>): AppError {
  const rename = (field: string) => {
    const [head = ''] = /^\w+/.exec(field) ?? [];
    return Object.hasOwn(names, head) ? names[head] + field.slice(head.length) : field;
  };
  const fields = error.fields.map(({ field, rule }) => ({ field: rename(field), rule }));
  const isSame = fields.every(({ field }, index) => field === error.fields[index]?.field);
  return isSame ? error : invalidFields(fields);
}

const isMissing = ({ rule }: FieldProblem) => /^is required|^must have either/.test(rule);

const DESCRIPTIONS = {
  400: 'The request is invalid, or what it asks for is refused; `code` says why. Of an object that does not exist, or that the token may not see, it is 100 with the subcode 33.',
  401: 'The token is missing or invalid (190).',
  403: 'The token lacks the scope, or its account is switched off (10).',
  404: 'The template does not exist, or not in this language (132001).',
};

/** The responses of an endpoint that are errors. */
export const errorsGraph = errorsOf({ schema: ErrorGraph, render: renderGraph }, DESCRIPTIONS);
