import { type CarrierError, NOT_SUBMITTED } from '../../carriers/carrier-error.js';
import type { CallLog } from '../../carriers/http/call-log.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { KeyedWorkOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { Span, Traces } from '../../platform/tracing/traces.js';
import { type CodeSeal, withCode } from '../codes/code-seal.js';
import type { Lane } from '../lanes.js';
import type { StatusEvent } from '../status/events.js';
import type { StatusWriter } from '../status/status-writer.js';
import { type ClaimedDeparture, Departures } from './checks/departures.js';
import { CODE_ENDED, findObstacle, type Obstacle } from './checks/obstacles.js';
import { Handover } from './handover.js';
import { Lease } from './lease.js';
import { Parking } from './parking.js';
import { retryDelayMs } from './retry-delay.js';
import { type ClaimedMessage, claimMessages } from './send-store.js';
import { SendTraces } from './send-traces.js';

export interface SenderOptions extends KeyedWorkOptions {
  clock: Clock;
  faults: FaultPoints;
  carriers: CarrierRegistry;
  routing: Routing;
  writer: StatusWriter;
  traces: Traces | null;
  /** Opens the sign-in codes that messages carry. */
  codes: CodeSeal;
  /** Keeps them out of what is written down of calls. */
  calls: Pick<CallLog, 'hiding'>;
  /** A number from 0 up to 1, for the jitter of retries. */
  random?(): number;
}

/** Messages that one statement claims at the most: all of their texts are in memory then. */
const CLAIM_MESSAGES = 500;

/** Sends batches of messages: claim, segment, submit, and write down what came of it. */
export class Sender {
  readonly #options: SenderOptions;
  /** Jobs that start while a claim is under way claim together: one commit instead of several. */
  readonly #claims: GroupCommit<readonly string[], ClaimedMessage[]>;
  readonly #departures: Departures;
  readonly #handover: Handover;
  readonly #parking: Parking;
  readonly #traces: SendTraces;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#traces = new SendTraces(options.traces);
    this.#handover = new Handover({ ...options, traces: this.#traces });
    this.#departures = new Departures(options);
    this.#parking = new Parking(options);
    this.#claims = new GroupCommit({
      commit: (jobs) => this.#claim(jobs),
      weigh: (ids) => ids.length,
      batchWeight: CLAIM_MESSAGES,
    });
  }

  /** Of its group commit, for those who watch. */
  get groups() {
    return { claim: this.#claims };
  }

  /**
   * Sends those of the messages that are due and that no other worker owns; resolves once every outcome is committed.
   * @param lane the urgent lane's outcomes are written at once
   * @param signal stops further submissions; what was not submitted is left to the relay
   */
  async send(ids: readonly string[], lane: Lane, signal: AbortSignal): Promise<void> {
    const { faults } = this.#options;
    const lease = new Lease(this.#options, signal);
    const askedAt = performance.now();
    let all: Promise<PromiseSettledResult<void>[]> | null = null;
    try {
      const claimed = await this.#claims.add(ids);
      lease.hold(claimed);
      await faults.hit('send:claimed');
      const sendings = claimed.map((message) => this.#sendOne(message, askedAt, lane, lease));
      // All are waited for, whatever becomes of one: the lease must last as long as any of them.
      all = Promise.allSettled(sendings.map(({ written }) => written)).finally(() => lease.end());
      const outcomes = await Promise.allSettled(sendings.map(({ written, held }) => Promise.race([written, held])));
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure) throw failure.reason;
      this.#reportLate(all);
    } catch (error) {
      if (!all) lease.end();
      throw error;
    }
  }

  /**
   * Sends a claimed message.
   * @returns when its outcome is written; or, before that, when it waits for an account that somebody else holds: then the worker is free for
   *   the messages of others, while the lease lasts
   */
  #sendOne(
    message: ClaimedMessage,
    askedAt: number,
    lane: Lane,
    lease: Lease,
  ): { written: Promise<void>; held: Promise<void> } {
    let onHeld: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      onHeld = resolve;
    });
    const send = async () => {
      const span = this.#traces.takenUp(message, lane);
      const departure = this.#departures.open(message, askedAt);
      const outcome = await this.#submit(message, departure, lease.signal, span);
      this.#departures.close(message, departure);
      lease.settle(message);
      await this.#options.writer.write(outcome, { atOnce: lane === 'urgent', onHeld });
      SendTraces.settled(span, outcome);
      lease.release(message);
      if (outcome.type === 'retry' && outcome.pausedIn) await this.#parking.parked(outcome.pausedIn);
    };
    return { written: send(), held };
  }

  #reportLate(written: Promise<PromiseSettledResult<void>[]>): void {
    void written.then((outcomes) => {
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure) this.#options.log.warn({ err: failure.reason }, 'a status could not be written before the end');
    });
  }

  async #claim(jobs: readonly (readonly string[])[]): Promise<ClaimedMessage[][]> {
    const { pool, clock } = this.#options;
    // A message that several jobs name goes to the first of them.
    const jobOf = new Map<string, number>();
    for (const [job, ids] of jobs.entries()) for (const id of ids) if (!jobOf.has(id)) jobOf.set(id, job);
    const claimed: ClaimedMessage[][] = jobs.map(() => []);
    for (const message of await claimMessages(pool, [...jobOf.keys()], clock.now())) {
      claimed[jobOf.get(message.id) as number]?.push(message);
    }
    return claimed;
  }

  async #submit(
    message: ClaimedMessage,
    departure: ClaimedDeparture,
    signal: AbortSignal,
    span: Span | null,
  ): Promise<StatusEvent> {
    const { clock, faults } = this.#options;
    const { id, requestId, attempt } = message;
    const now = clock.now();
    const obstacle = findObstacle(message, now);
    if (obstacle) return { type: 'end', id, requestId, attempt, at: now, maybeAccepted: false, ...obstacle };
    const pause = message.more?.pause;
    if (pause) return this.#park(message, { errorCode: pause.code, errorMessage: pause.reason, maybeAccepted: false });
    const code = this.#codeOf(message, now);
    if (code && typeof code !== 'string') {
      return { type: 'end', id, requestId, attempt, at: now, maybeAccepted: false, ...code };
    }
    const result = await this.#hand(message, departure, code, signal, span);
    if (!result.taken) return this.#refusal(message, result.carrier, result.error, departure.obstacle);
    const { carrier, needsReference, submission } = result;
    await faults.hit('send:submitted');
    return {
      type: 'sent',
      id,
      requestId,
      attempt,
      carrier,
      carrierMessageId: submission.carrierMessageId,
      needsReference: needsReference && !submission.parts,
      ...(submission.parts && { parts: submission.parts }),
      ...(carrier !== message.carrier && { rerouted: true }),
      at: clock.now(),
    };
  }

  /** The sign-in code of a message, or why it cannot be sent any more; null for a message without one. */
  #codeOf({ code }: ClaimedMessage, now: Date): string | Obstacle | null {
    if (code === null) return null;
    const { sealed, expiresAt, verificationId } = code;
    if (sealed === null || expiresAt === null || now >= new Date(expiresAt)) return CODE_ENDED;
    return this.#options.codes.open(Buffer.from(sealed, 'base64'), verificationId) ?? CODE_UNREADABLE;
  }

  #hand(
    message: ClaimedMessage,
    departure: ClaimedDeparture,
    code: string | null,
    signal: AbortSignal,
    span: Span | null,
  ) {
    if (code === null) return this.#handover.submit(message, departure, signal, span);
    const whole = { ...message, ...withCode(message, code) };
    const submit = () => this.#handover.submit(whole, departure, signal, span, code);
    return this.#options.calls.hiding(message.id, code, submit);
  }

  /** @param obstacle why the carrier had to hold the message back; null when it did not */
  #refusal(message: ClaimedMessage, carrier: string, refusal: CarrierError, obstacle: Obstacle | null): StatusEvent {
    const { id, requestId, attempt } = message;
    const { acceptedParts: parts } = refusal;
    const now = this.#options.clock.now();
    const reason = {
      errorCode: refusal.code,
      errorMessage: refusal.message,
      maybeAccepted: refusal.answerLost || parts.length > 0,
      ...(parts.length > 0 && { taken: { carrier, parts } }),
    };
    if (obstacle) return { type: 'end', id, requestId, attempt, at: now, ...reason, ...obstacle };
    if (!refusal.retryable) return { type: 'end', id, requestId, attempt, status: 'failed', at: now, ...reason };
    if (refusal.code === NOT_SUBMITTED) return { type: 'retry', id, requestId, attempt, delayMs: 0, ...reason };
    if (refusal.channelPaused && message.more?.channelId) return this.#park(message, reason);
    const remainingMs = Math.max(0, message.validUntil.getTime() - now.getTime());
    const pauseMs = Math.max(refusal.pauseMs, retryDelayMs(attempt, this.#options.random ?? Math.random));
    return { type: 'retry', id, requestId, attempt, delayMs: Math.min(pauseMs, remainingMs), ...reason };
  }

  #park(message: ClaimedMessage, reason: Parameters<typeof Parking.eventFor>[2]): StatusEvent {
    return Parking.eventFor(message, message.more?.channelId as string, reason, this.#options.clock.now());
  }
}

const CODE_UNREADABLE: Obstacle = {
  status: 'failed',
  errorCode: 'CODE_UNREADABLE',
  errorMessage: 'The sign-in code was sealed under another VERIFICATION_SECRET than this process has.',
};
