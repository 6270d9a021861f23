import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { parseForm } from '../../carriers/http-api/callbacks/envelope.js';
import { buildHookSend, readHookMessage } from '../../features/verifications/services/hook-messages.js';
import { describeHeaders, type HookType, isHook, isProven } from '../../features/verifications/services/hook-proofs.js';
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
import { addressOf } from '../http/limits/rate-limits.js';
import { type KeyedSurfaceOptions, limitKeys } from '../http/limits/surface-limits.js';
import { type CodeComposing, composeCode } from '../resources/sends/compose-code.js';

export interface HookEndpoints extends CodeComposing {
  prisma: ServiceStore['prisma'];
  verifications: Verifications;
}

/** A user is told few words; a larger body is none of a login system. */
const BODY_LIMIT = 64 * 1024;
const PATH = '/hooks/sign-in';

/** One text for a wrong secret, a wrong signature and one that is too old. */
const WRONG_PROOF = 'The secret or the signature is wrong, or the signature has expired.';

type Call = FastifyRequest<{ Params: { id: string }; Body: Buffer | undefined }>;
type Hook = Service & { type: HookType };

/** The shape that Supabase reads; the others look at the status alone. */
export const renderHook: ErrorRenderer = ({ status, message }) => ({ error: { http_code: status, message } });

/**
 * Where login systems have their sign-in codes sent: `POST /hooks/sign-in/{id}` for each that an operator set up. It proves by its
 * secret who it is. What it wants sent goes the way of the codes that are made here: it is in no row, list or log.
 */
export async function signInHooks(app: FastifyInstance, options: KeyedSurfaceOptions<HookEndpoints>): Promise<void> {
  app.register(
    async (inside) => {
      useErrorShape(inside, renderHook, options);
      // Whether it is the login system is known once the body was read: a flood of others takes nothing from it.
      const { rateLimitPerSecond } = options;
      const windows = options.windows.child();
      await limitKeys(
        inside,
        { rateLimitPerSecond, windows },
        (request) => `${(request as Call).params.id} ${addressOf(request)}`,
      );
      // A signature is that of the bytes as they came.
      inside.removeAllContentTypeParsers();
      inside.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
        done(null, body),
      );
      inside.post<{ Params: { id: string }; Body: Buffer | undefined }>(
        '/:id',
        { schema: { hide: true }, bodyLimit: BODY_LIMIT },
        (request, reply) => take(inside, options.endpoints, request, reply),
      );
    },
    { prefix: PATH },
  );
}

async function take(app: FastifyInstance, options: HookEndpoints, request: Call, reply: FastifyReply): Promise<object> {
  const hook = await provenHook(app, options, request, reply);
  try {
    const account = await findPayer(options.prisma, hook);
    const { body, secret } = buildHookSend(hook, readHookMessage(hook.type, bodyOf(request)));
    const send = await composeCode(options, request, account, body, claimOf(hook, request));
    await options.verifications.passOn(send, secret, hook.id);
    return {};
  } catch (error) {
    // Supabase shows its user what stands in an answer of 200, and nothing of others; 503 lets it try again.
    if (hook.type !== 'supabase' || !(error instanceof AppError) || error.status >= 500) throw error;
    return renderHook(error, request.id);
  }
}

/**
 * The hook of a path, once its login system has proven itself.
 * @throws {AppError} NOT_FOUND, UNAUTHORIZED; RATE_LIMITED once an address has failed too often
 */
async function provenHook(
  app: FastifyInstance,
  { prisma, clock }: HookEndpoints,
  request: Call,
  reply: FastifyReply,
): Promise<Hook> {
  const service = await findService(prisma, request.params.id);
  if (!service || !isHook(service.type)) {
    throw await countFailure(app, request, reply, new AppError('NOT_FOUND', 'There is no such hook.'));
  }
  const hook = { ...service, type: service.type };
  const { headers, body = Buffer.alloc(0) } = request;
  if (isProven(hook.type, hook, { headers, body }, clock.now())) return hook;
  const problem = describeHeaders(hook.type, headers) ?? WRONG_PROOF;
  throw await countFailure(app, request, reply, new AppError('UNAUTHORIZED', problem));
}

/** The error for a request that proved nothing: RATE_LIMITED once its address has failed too often. */
async function countFailure(
  app: FastifyInstance,
  request: Call,
  reply: FastifyReply,
  refusal: AppError,
): Promise<AppError> {
  const limit = await app.limitFailures?.(request);
  if (!limit) return refusal;
  reply.header('retry-after', limit.retryAfter);
  return limit.error;
}

/** @throws {AppError} INVALID_REQUEST for what is neither JSON nor a form */
function bodyOf({ headers, body: bytes = Buffer.alloc(0) }: Call): unknown {
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  if (!isUtf8(bytes)) throw new AppError('INVALID_REQUEST', 'The request body is not valid UTF-8.');
  const body = isForm ? parseForm(bytes.toString('utf8')) : parsed(bytes.toString('utf8'));
  const problem = checkBody(body, true);
  if (problem) throw problem;
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('INVALID_REQUEST', 'The request body is not valid JSON.');
  }
}

/** Supabase asks again by the same id. Of the body nothing is kept, not even as a hash, which would tell the code. */
function claimOf({ id, type }: Hook, { headers }: Call): IdempotencyKey | null {
  const key = headers['webhook-id'];
  if (type !== 'supabase' || typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key)) return null;
  return { key, route: `POST ${PATH}/${id}`, bodyHash: hash('sha256', key, 'buffer') };
}
