import { Type } from '@sinclair/typebox';
import { AppError } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { defineErrorResponses } from '../http/error-responses.js';
import type { ErrorRenderer, PublicError } from '../http/errors.js';
import { META_CODES, type MetaCode, NO_SUCH_OBJECT } from './meta-codes.js';

export class MetaError extends AppError {
  constructor(
    readonly metaCode: MetaCode,
    {
      code,
      message,
      fields,
      carrierExplanation,
    }: Pick<AppError, 'code' | 'message' | 'fields'> & Partial<Pick<AppError, 'carrierExplanation'>>,
    cause?: unknown,
  ) {
    super(code, message, fields, { cause, carrierExplanation });
  }
}

/** Meta's error shape, in which clients evaluate `code`. */
const ErrorGraph = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'The code and its meaning.' }),
      type: Type.String({ examples: ['OAuthException'] }),
      code: Type.Integer({ description: "Meta's code, for example 131047 if the 24-hour window is closed." }),
      error_subcode: Type.Optional(
        Type.Integer({ description: '33 for code 100: the object in the path does not exist.' }),
      ),
      error_user_title: Type.Optional(
        Type.String({ description: 'Text for end users, for example when Meta refuses a template.' }),
      ),
      error_user_msg: Type.Optional(Type.String()),
      error_data: Type.Optional(
        Type.Object({
          messaging_product: Type.Literal('whatsapp'),
          details: Type.String({ description: 'The field and the rule that it breaks.' }),
        }),
      ),
      fbtrace_id: Type.String({ description: 'Equal to `X-Request-Id`.' }),
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

export const renderGraph: ErrorRenderer = Object.assign(
  (error: PublicError, requestId: string) => {
    const code = findMetaCode(error);
    return {
      error: {
        message: `(#${code}) ${META_CODES[code].title}`,
        type: 'OAuthException',
        code,
        ...(error.code === 'NOT_FOUND' && code === 100 && { error_subcode: NO_SUCH_OBJECT }),
        ...(error.carrierExplanation?.title && { error_user_title: error.carrierExplanation.title }),
        ...(error.carrierExplanation?.text && { error_user_msg: error.carrierExplanation.text }),
        error_data: { messaging_product: 'whatsapp' as const, details: error.message },
        fbtrace_id: requestId,
      },
    };
  },
  {
    statusOf: (error: PublicError): number => {
      // HTTP errors and errors that do not exist in Meta's API keep their status.
      if (KEPT_STATUSES.has(error.status)) return error.status;
      return META_CODES[findMetaCode(error)].status;
    },
  },
);

const KEPT_STATUSES: ReadonlySet<number> = new Set([408, 413, 415, 417, 422, 431, 501, 503]);

function findMetaCode(error: PublicError): MetaCode {
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
    case 'FREQUENCY_CAP':
      return 131049;
    case 'CARRIER_REFUSED':
      return toMetaCode(error.carrierCode);
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

/** Returns the carrier's own error code if Meta has it, or else `fallback`. */
export function toMetaCode(code: string | null | undefined, fallback: MetaCode = 131026): MetaCode {
  return code && Object.hasOwn(META_CODES, code) ? (Number(code) as MetaCode) : fallback;
}

/** Converts errors of requests that send no message, and uses the code 100 if a carrier's refusal has no Meta code. */
export function toMetaError(error: unknown): unknown {
  return error instanceof AppError && error.code === 'CARRIER_REFUSED'
    ? new MetaError(toMetaCode(error.carrierCode, 100), error)
    : error;
}

/** Converts errors about invalid fields, and returns other errors unchanged. */
export function toMessageError(error: unknown, names: Readonly<Record<string, string>> = {}): unknown {
  if (error instanceof MetaError || !(error instanceof AppError)) return error;
  // A NOT_FOUND error is about a missing file if it names a field, and otherwise about the object in the path.
  if ((error.code !== 'INVALID_REQUEST' && error.code !== 'NOT_FOUND') || error.fields.length === 0) return error;
  const renamed = renameFields(error, names);
  return new MetaError(renamed.fields.some(({ kind }) => kind === 'missing') ? 131008 : 131009, renamed, error);
}

export function renameFields(error: AppError, names: Readonly<Record<string, string>>): AppError {
  const rename = (field: string) => {
    const [head = ''] = /^\w+/.exec(field) ?? [];
    return Object.hasOwn(names, head) ? names[head] + field.slice(head.length) : field;
  };
  const fields = error.fields.map((problem) => ({ ...problem, field: rename(problem.field) }));
  const isUnchanged = fields.every(({ field }, index) => field === error.fields[index]?.field);
  return isUnchanged ? error : invalidFields(fields);
}

const DESCRIPTIONS = {
  400: 'The request is invalid or refused; `code` has the reason. An object that does not exist, or that the token may not access, has code 100 with subcode 33.',
  401: 'The token is missing or invalid (190).',
  403: 'The token lacks the scope, or its account is disabled (10).',
  404: 'The template does not exist, or not in this language (132001).',
};

export const errorsGraph = defineErrorResponses({ schema: ErrorGraph, render: renderGraph }, DESCRIPTIONS);
