import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { samplesBy } from '../../../platform/metrics/metric.js';
import { noting } from '../../audit/change.js';
import { operatorName } from '../operators.js';
import { operatorOfLink } from './links.js';

/** Why somebody was not let in. */
export type SignInFailure = 'password' | 'link' | 'code' | 'oidc' | 'confirmation' | 'too_many';

/** Who tried it, as far as it is known. */
export interface Tried {
  way: Exclude<SignInFailure, 'code' | 'too_many'>;
  address: string;
  /** By name, as it was typed. */
  name?: string;
  /** By a link. */
  token?: string;
  /** Who is signed in already. */
  operatorId?: string;
}

export interface FailedSignInsOptions {
  prisma: Pick<PrismaClient, 'operator' | 'signInLink' | '$transaction'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** The name of Heliograph's part that writes these lines: who tried has not proved to be anybody. */
const ACTOR = { kind: 'system', name: 'sign-in' } as const;

/**
 * Tells of sign-ins that failed: each in the log and the metrics of the process, and those for an operator who is there in
 * the audit log. Of these there are at most ten in five minutes for an operator (see `limited`): what is refused because
 * there were too many is counted alone, so that nobody fills the store. What was typed for a name is never told, for people
 * type passwords there.
 */
export class FailedSignIns {
  readonly #options: FailedSignInsOptions;
  readonly #counts = new Map<SignInFailure, number>();
  readonly #writing = new Set<Promise<void>>();

  constructor(options: FailedSignInsOptions) {
    this.#options = options;
  }

  /** Does what may fail because somebody is not who they say, and tells of it where it does. */
  async telling<T>(tried: Tried, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error, tried);
      if (failure) this.tell(failure, tried);
      throw error;
    }
  }

  /** Tells of one that failed. */
  tell(failure: SignInFailure, tried: Tried): void {
    this.#counts.set(failure, (this.#counts.get(failure) ?? 0) + 1);
    if (failure === 'too_many') return;
    const { way, address } = tried;
    this.#options.log.warn({ way, address, wrong: failure }, 'a sign-in at the console failed');
    // Not waited for: how long the answer takes must not tell whether there is such an operator.
    const writing = this.#write(failure, tried)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'a failed sign-in is not in the audit log'))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Waits until all that was told is written. */
  async idle(): Promise<void> {
    await Promise.all(this.#writing);
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_sign_in_failures_total',
        help: 'Sign-ins at the console that failed, by what was wrong',
        type: 'counter',
        labels: ['wrong'],
        read: () => samplesBy('wrong', [...this.#counts]),
      },
    ];
  }

  async #write(failure: SignInFailure, { way, address, ...who }: Tried): Promise<void> {
    const { prisma } = this.#options;
    const operator = await this.#operatorOf(who);
    if (!operator) return;
    const after = { name: operator.name, way, wrong: failure, address };
    const told = { action: 'session.refuse', subject: operator.id, after };
    await noting(prisma, { actor: ACTOR, accountId: null }, told);
  }

  async #operatorOf({ operatorId, name, token }: Pick<Tried, 'operatorId' | 'name' | 'token'>) {
    const { prisma } = this.#options;
    const select = { id: true, name: true };
    if (operatorId !== undefined) return prisma.operator.findUnique({ where: { id: operatorId }, select });
    if (name !== undefined) return prisma.operator.findUnique({ where: { name: operatorName(name) }, select });
    return token === undefined ? null : operatorOfLink(prisma, token);
  }
}

/** What was wrong, of what a sign-in was refused with; null where it was nothing of who they are. */
function failureOf(error: unknown, { way }: Tried): SignInFailure | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'RATE_LIMITED') return 'too_many';
  if (error.code === 'UNAUTHORIZED') return way;
  const [field] = error.fields;
  if (error.code !== 'INVALID_REQUEST' || !/ wrong/.test(` ${field?.rule ?? ''}`)) return null;
  return field?.field === 'code' ? 'code' : way;
}
