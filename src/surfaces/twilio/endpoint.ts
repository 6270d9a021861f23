import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { KeyAccount } from '../../accounts/account-ref.js';
import { AppError } from '../../platform/errors/app-error.js';
import { idOfSid } from '../../platform/text/sids.js';
import { bodyErrors } from '../http/body-errors.js';
import { errorsTwilio } from './errors.js';

/** The endpoints of one resource, below `/2010-04-01/Accounts/{AccountSid}`, with the options that their use cases need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

const AccountSid = Type.String({
  description: 'SID of the account: `AC` and its id without hyphens.',
  examples: ['AC0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
});

/** The path of what a Verify service has. */
export const ServicePath = Type.Object({
  ServiceSid: Type.String({
    description: 'SID of the service: `VA` and its id without hyphens.',
    examples: ['VA0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
  }),
});
/** The path of a verification. */
export const VerificationPath = Type.Object({
  ...ServicePath.properties,
  Sid: Type.String({
    description: 'SID of the verification: `VE` and its id without hyphens.',
    examples: ['VE0192f0c17d3a7c2e9b1a2f6d1c0a4e55'],
  }),
});

/** The path of an account itself. */
export const AccountSelfPath = Type.Object({
  AccountSid: Type.String({
    description: 'SID of the account: `AC` and its id without hyphens, with or without `.json` behind it.',
    examples: ['AC0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

/** The path of what an account has. */
export const AccountPath = Type.Object({ AccountSid });
/** The path of a message. */
export const MessagePath = Type.Object({
  AccountSid,
  Sid: Type.String({
    description: 'SID of the message, `SM` or `MM` and its id without hyphens, with or without `.json` behind it.',
    examples: ['SM0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

/** The path of a file of a message. */
export const MediaPath = Type.Object({
  ...MessagePath.properties,
  MediaSid: Type.String({
    description:
      'SID of the file, `ME` and its id without hyphens: with `.json` behind it what it is, without it the file itself.',
    examples: ['ME0192f0c17d3a7c2e9b1a2f6d1c0a4e55.json'],
  }),
});

/** The account of a request, which its path names too. */
export function accountOf({ twilioCredential: { account } }: FastifyRequest): KeyAccount {
  return account;
}

/**
 * Our id of the message that a path names; null for what is no SID of one. Files have `.json` behind their names, as Twilio's
 * clients ask for them.
 */
export function messageIdOf({ Sid }: { Sid: string }): string | null {
  return idOfSid(Sid.replace(/\.json$/, ''), 'SM', 'MM');
}

/** What is said of what is not there, or is another account's: nothing tells the one from the other. */
export function notFound({ url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0] as string;
  return new AppError('NOT_FOUND', `The requested resource ${path.slice(0, 200)} was not found.`);
}

/** Refuses a path with the SID of another account, as one of nobody's. */
export function requireOwnAccount(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  const { AccountSid } = request.params as { AccountSid: string };
  const isItself = request.routeOptions.url?.endsWith('/:AccountSid');
  const sid = isItself ? AccountSid.replace(/\.json$/, '') : AccountSid;
  const isOwn = idOfSid(sid, 'AC') === accountOf(request).id;
  done(isOwn ? undefined : notFound(request));
}

/** Adds to the schema of a route what is the same for all. */
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
