import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { parseForm } from '../../carriers/http-api/callbacks/envelope.js';
import { buildHookSend, readHookMessage } from '../../features/verifications/services/hook-messages.js';
import {
  describeHeaderProblem,
  type HookType,
  isHook,
  isProven,
} from '../../features/verifications/services/hook-proofs.js';
import {
  findPayer,
  findService,
  type Service,
  type ServiceStore,
} from '../../features/verifications/services/services.js';
import type { Verifications } from '../../features/verifications/verifications.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type ErrorRenderer, useErrorShape } from '../http/errors.js';
import { checkBody } from '../http/input/text-rules.js';
import { clientAddress } from '../http/limits/rate-limits.js';
import { type KeyedSurfaceOptions, limitKeys } from '../http/limits/surface-limits.js';
import { type ComposeCodeOptions, composeCode } from '../resources/sends/compose-code.js';

export interface HookEndpoints extends ComposeCodeOptions {
  prisma: ServiceStore['prisma'];
  verifications: Verifications;
}

/** Login systems send short bodies, so a larger body does not come from a login system. */
const BODY_LIMIT = 64 * 1024;
const PATH = '/hooks/sign-in';

/** Wrong secrets, wrong signatures and expired signatures get the same error text, so that an attacker learns nothing. */
const WRONG_PROOF = 'The secret or the signature is wrong, or the signature has expired.';

type HookRequest = FastifyRequest<{ Params: { id: string }; Body: Buffer | undefined }>;
type Hook = Service & { type: HookType };

/** Supabase reads this error shape, while other login systems check only the status. */
export const renderHook: ErrorRenderer = ({ status, message }) => ({ error: { http_code: status, message } });

/**
 * Login systems that an operator has set up submit their sign-in codes here. Such codes, like Heliograph's own, are never
 * written to a row, list or log.
 */
export async function signInHooks(app: FastifyInstance, options: KeyedSurfaceOptions<HookEndpoints>): Promise<void> {
  app.register(
    async (scope) => {
      useErrorShape(scope, renderHook, options);
      // Requests are also counted by address, so that a flood from strangers cannot use up the hook's limit.
      const { rateLimitPerSecond } = options;
      const windows = options.windows.child();
      await limitKeys(
        scope,
        { rateLimitPerSecond, windows },
        (request) => `${(request as HookRequest).params.id} ${clientAddress(request)}`,
      );
      // Bodies stay unparsed, because login systems sign the raw bytes.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
        done(null, body),
      );
      scope.post<{ Params: { id: string }; Body: Buffer | undefined }>(
        '/:id',
        { schema: { hide: true }, bodyLimit: BODY_LIMIT },
        (request, reply) => submitCode(scope, options.endpoints, request, reply),
      );
    },
    { prefix: PATH },
  );
}

async function submitCode(
  app: FastifyInstance,
  options: HookEndpoints,
  request: HookRequest,
  reply: FastifyReply,
): Promise<object> {
  const hook = await authenticateHook(app, options, request, reply);
  try {
    const account = await findPayer(options.prisma, hook);
    const { body, secret } = buildHookSend(hook, readHookMessage(hook.type, readBody(request)));
    const send = await composeCode(options, request, account, body, readClaim(hook, request));
    await options.verifications.passOn(send, secret, hook.id);
    return {};
  } catch (error) {
    // Supabase shows the error to the user only if the status is 200, and retries after a 503.
    if (hook.type !== 'supabase' || !(error instanceof AppError) || error.status >= 500) throw error;
    return renderHook(error, request.id);
  }
}

/** @throws {AppError} NOT_FOUND, UNAUTHORIZED; RATE_LIMITED after too many failures from an address */
async function authenticateHook(
  app: FastifyInstance,
  { prisma, clock }: HookEndpoints,
  request: HookRequest,
  reply: FastifyReply,
): Promise<Hook> {
  const service = await findService(prisma, request.params.id);
  if (!service || !isHook(service.type)) {
    throw await countFailure(app, request, reply, new AppError('NOT_FOUND', 'No hook has this id.'));
  }
  const hook = { ...service, type: service.type };
  const { headers, body = Buffer.alloc(0) } = request;
  if (isProven(hook.type, hook, { headers, body }, clock.now())) return hook;
  const problem = describeHeaderProblem(hook.type, headers) ?? WRONG_PROOF;
  throw await countFailure(app, request, reply, new AppError('UNAUTHORIZED', problem));
}

async function countFailure(
  app: FastifyInstance,
  request: HookRequest,
  reply: FastifyReply,
  refusal: AppError,
): Promise<AppError> {
  const limit = await app.limitFailures?.(request);
  if (!limit) return refusal;
  reply.header('retry-after', limit.retryAfter);
  return limit.error;
}

function readBody({ headers, body: bytes = Buffer.alloc(0) }: HookRequest): unknown {
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  if (!isUtf8(bytes)) throw new AppError('INVALID_REQUEST', 'The request body is not valid UTF-8.');
  const body = isForm ? parseForm(bytes.toString('utf8')) : parseJson(bytes.toString('utf8'));
  const problem = checkBody(body, true);
  if (problem) throw problem;
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('INVALID_REQUEST', 'The request body is not valid JSON.');
  }
}

/**
 * Supabase retries with the same `webhook-id`. The `webhook-id` is hashed instead of the body, because a hash of the body would
 * reveal the code.
 */
function readClaim({ id, type }: Hook, { headers }: HookRequest): IdempotencyKey | null {
  const key = headers['webhook-id'];
  if (type !== 'supabase' || typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key)) return null;
  return { key, route: `POST ${PATH}/${id}`, bodyHash: hash('sha256', key, 'buffer') };
}
