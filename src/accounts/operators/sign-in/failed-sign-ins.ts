import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { toSamples } from '../../../platform/metrics/metric.js';
import { recordEvent } from '../../audit/change.js';
import { normalizeOperatorName } from '../operators.js';
import { findLinkOperator } from './sign-in-links.js';

/** Which proof was wrong. */
export type SignInFailure = 'password' | 'link' | 'code' | 'oidc' | 'confirmation' | 'too_many';

export interface SignInAttempt {
  way: Exclude<SignInFailure, 'code' | 'too_many'>;
  address: string;
  /** As typed. */
  name?: string;
  token?: string;
  operatorId?: string;
}

export interface FailedSignInsOptions {
  prisma: Pick<PrismaClient, 'operator' | 'signInLink' | '$transaction'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** Audit log entries for failed sign-ins do not name the operator as actor, because the person may be someone else. */
const ACTOR = { kind: 'system', name: 'sign-in' } as const;

/** The typed name is never logged, because people sometimes type their password into the name field. */
export class FailedSignIns {
  readonly #options: FailedSignInsOptions;
  readonly #counts = new Map<SignInFailure, number>();
  readonly #writing = new Set<Promise<void>>();

  constructor(options: FailedSignInsOptions) {
    this.#options = options;
  }

  async reportFailures<T>(attempt: SignInAttempt, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = classifyFailure(error, attempt);
      if (failure) this.report(failure, attempt);
      throw error;
    }
  }

  report(failure: SignInFailure, attempt: SignInAttempt): void {
    this.#counts.set(failure, (this.#counts.get(failure) ?? 0) + 1);
    if (failure === 'too_many') return;
    const { way, address } = attempt;
    this.#options.log.warn({ way, address, wrong: failure }, 'a sign-in at the console failed');
    // Do not await the audit log entry, because the response time must not reveal whether the operator exists.
    const pendingWrite = this.#write(failure, attempt)
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'could not write a failed sign-in to the audit log'),
      )
      .finally(() => this.#writing.delete(pendingWrite));
    this.#writing.add(pendingWrite);
  }

  async waitForWrites(): Promise<void> {
    await Promise.all(this.#writing);
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_sign_in_failures_total',
        help: 'Failed sign-ins to the console: password (or the name), link, code, oidc, confirmation, and too_many for those over the limit',
        type: 'counter',
        labels: ['wrong'],
        read: () => toSamples('wrong', [...this.#counts]),
      },
    ];
  }

  async #write(failure: SignInFailure, { way, address, ...identifiers }: SignInAttempt): Promise<void> {
    const { prisma } = this.#options;
    const operator = await this.#findOperator(identifiers);
    if (!operator) return;
    const after = { name: operator.name, way, wrong: failure, address };
    const entry = { action: 'session.refuse', subject: operator.id, after };
    await recordEvent(prisma, { actor: ACTOR, accountId: null }, entry);
  }

  async #findOperator({ operatorId, name, token }: Pick<SignInAttempt, 'operatorId' | 'name' | 'token'>) {
    const { prisma } = this.#options;
    const select = { id: true, name: true };
    if (operatorId !== undefined) return prisma.operator.findUnique({ where: { id: operatorId }, select });
    if (name !== undefined) return prisma.operator.findUnique({ where: { name: normalizeOperatorName(name) }, select });
    return token === undefined ? null : findLinkOperator(prisma, token);
  }
}

function classifyFailure(error: unknown, { way }: SignInAttempt): SignInFailure | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'RATE_LIMITED') return 'too_many';
  if (error.code === 'UNAUTHORIZED') return way;
  const [problem] = error.fields;
  if (error.code !== 'INVALID_REQUEST' || problem?.kind !== 'wrong-proof') return null;
  return problem.field === 'code' ? 'code' : way;
}
