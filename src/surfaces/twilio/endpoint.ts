import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { KeyAccount } from '../../accounts/account-ref.js';
import { AppError } from '../../platform/errors/app-error.js';
import { parseSid } from '../../platform/text/sids.js';
import { bodyErrors } from '../http/body-errors.js';
import { errorsTwilio } from './errors.js';

export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

const AccountSid = Type.String({
  description: 'SID of the account: `AC` and the account ID without hyphens.',
  examples: ['AC0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
});

export const ServicePath = Type.Object({
  ServiceSid: Type.String({
    description: 'SID of the service: `VA` and its ID without hyphens.',
    examples: ['VA0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
  }),
});
export const VerificationPath = Type.Object({
  ...ServicePath.properties,
  Sid: Type.String({
    description: 'SID of the verification: `VE` and its ID without hyphens.',
    examples: ['VE0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
  }),
});

export const AccountSelfPath = Type.Object({
  AccountSid: Type.String({
    description: 'SID of the account: `AC` and the account ID without hyphens, optionally followed by `.json`.',
    examples: ['AC0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

export const AccountPath = Type.Object({ AccountSid });
export const MessagePath = Type.Object({
  AccountSid,
  Sid: Type.String({
    description: 'SID of the message: `SM` or `MM` and its ID without hyphens, optionally followed by `.json`.',
    examples: ['SM0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

export const MediaPath = Type.Object({
  ...MessagePath.properties,
  MediaSid: Type.String({
    description:
      'SID of the file: `ME` and its ID without hyphens. Add `.json` to get a description of the file instead of the file itself.',
    examples: ['ME0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

/** `requireOwnAccount` has checked that the SID in the path belongs to the authenticated account. */
export function requestAccount({ twilioCredential: { account } }: FastifyRequest): KeyAccount {
  return account;
}

/** Returns null if the SID does not belong to a message. Twilio's clients append `.json`. */
export function readMessageId({ Sid }: { Sid: string }): string | null {
  return parseSid(Sid.replace(/\.json$/, ''), 'SM', 'MM');
}

export function notFound({ url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0] as string;
  return new AppError('NOT_FOUND', `The requested resource ${path.slice(0, 200)} was not found.`);
}

export function requireOwnAccount(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  const { AccountSid } = request.params as { AccountSid: string };
  const isAccountPath = request.routeOptions.url?.endsWith('/:AccountSid');
  const sid = isAccountPath ? AccountSid.replace(/\.json$/, '') : AccountSid;
  const isOwn = parseSid(sid, 'AC') === requestAccount(request).id;
  done(isOwn ? undefined : notFound(request));
}

export function addImplied(route: RouteOptions): void {
  const { schema = {} } = route;
  route.schema = {
    ...schema,
    tags: ["Twilio's surface"],
    security: [{ accountSid: [] }],
    ...(schema.body ? { consumes: ['application/x-www-form-urlencoded'] } : {}),
    response: {
      ...(schema.response as object),
      ...errorsTwilio([400, 401, 403, 404, ...bodyErrors(route.method), 429, 500, 503]),
    },
  };
}
