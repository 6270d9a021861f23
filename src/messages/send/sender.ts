import { CarrierError, NOT_SUBMITTED } from '../../carriers/carrier-error.js';
import type { CallLog } from '../../carriers/http/call-log.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { BackgroundStoreOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { Span, Traces } from '../../platform/tracing/traces.js';
import type { Lane } from '../lanes.js';
import type { QuietAccounts } from '../quiet-hours/quiet-accounts.js';
import { type CodeSeal, insertCode } from '../sign-in-codes/code-seal.js';
import type { StatusEvent } from '../status/events.js';
import type { StatusWriter } from '../status/status-writer.js';
import { type ClaimedDeparture, Departures } from './checks/departures.js';
import { CODE_ENDED, findObstacle, type Obstacle, QUIET_HOURS } from './checks/obstacles.js';
import type { Hold } from './holds/hold-store.js';
import { Holds, type KnownHours } from './holds/holds.js';
import type { MessageHours } from './holds/message-hours.js';
import { Lease } from './lease.js';
import { Outcomes } from './outcomes.js';
import { ParkedMessages } from './parked-messages.js';
import { retryDelayMs } from './retry-delay.js';
import { type ClaimedMessage, claimMessages } from './send-store.js';
import { SendTraces } from './send-traces.js';
import { Submitter } from './submitter.js';

export interface SenderOptions extends BackgroundStoreOptions {
  clock: Clock;
  faults: FaultPoints;
  carriers: CarrierRegistry;
  routing: Routing;
  writer: StatusWriter;
  traces: Traces | null;
  codes: CodeSeal;
  /** Used to keep sign-in codes out of the call log. */
  calls: Pick<CallLog, 'withHiddenSecret'>;
  quietAccounts: QuietAccounts;
  /** Returns a random number in [0, 1) for the jitter of retries. */
  random?(): number;
}

/** Maximum messages per claim, because all their texts are held in memory. */
const CLAIM_MESSAGES = 500;

export class Sender {
  readonly #options: SenderOptions;
  /** Jobs that start while a claim is running are claimed together. */
  readonly #claims: GroupCommit<readonly string[], ClaimedMessage[]>;
  readonly #departures: Departures;
  readonly #holds: Holds;
  readonly #submitter: Submitter;
  readonly #parkedMessages: ParkedMessages;
  readonly #traces: SendTraces;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#traces = new SendTraces(options.traces);
    this.#submitter = new Submitter({ ...options, traces: this.#traces });
    this.#departures = new Departures(options);
    this.#holds = new Holds(options);
    this.#parkedMessages = new ParkedMessages(options);
    this.#claims = new GroupCommit({
      commit: (jobs) => this.#claim(jobs),
      weigh: (ids) => ids.length,
      batchWeight: CLAIM_MESSAGES,
    });
  }

  get groups() {
    return { claim: this.#claims };
  }

  metrics() {
    return this.#holds.metrics();
  }

  /**
   * Resolves once every outcome is committed.
   * @param lane outcomes of the urgent lane are written without waiting for a fuller batch
   * @param signal stops further submissions, so the relay takes over the remaining messages
   */
  async send(ids: readonly string[], lane: Lane, signal: AbortSignal): Promise<void> {
    const { faults } = this.#options;
    const lease = new Lease(this.#options, signal);
    const startedAt = performance.now();
    let claimed: ClaimedMessage[];
    let hours: ReadonlyMap<string, KnownHours>;
    try {
      claimed = await this.#claims.add(ids);
      lease.startRenewing(claimed);
      hours = await this.#holds.findHours(claimed);
      await faults.hit('send:claimed');
    } catch (error) {
      lease.end();
      throw error;
    }
    const outcomes = new Outcomes(claimed.length, {
      // Even if the outcome of a message cannot be written, the lease must last until all other messages are settled.
      onSettled: () => lease.end(),
      onLateFailure: (error) => this.#options.log.warn({ err: error }, 'a status was not written in time'),
    });
    for (const message of claimed) {
      const knownHours = hours.get(message.id) ?? null;
      outcomes.track((onDeferred) => this.#sendOne(message, knownHours, startedAt, lane, lease, onDeferred));
    }
    await outcomes.writtenOrDeferred;
  }

  /**
   * Resolves once the outcome is committed.
   * @param onDeferred called if the outcome waits for a locked account, so that the worker can continue with other messages
   * during the lease
   */
  async #sendOne(
    message: ClaimedMessage,
    knownHours: KnownHours | null,
    startedAt: number,
    lane: Lane,
    lease: Lease,
    onDeferred: () => void,
  ): Promise<void> {
    const span = this.#traces.startProcessing(message, lane);
    const hours = knownHours === 'unknown' ? null : knownHours;
    const departure = this.#departures.open(message, startedAt, hours);
    const outcome =
      knownHours === 'unknown'
        ? createUnknownHoursEvent(message)
        : await this.#submit(message, hours, departure, lease.signal, span);
    this.#departures.close(message, departure);
    lease.markOutcomeKnown(message);
    if (!('type' in outcome)) {
      await this.#options.faults.hit('send:hold');
      await this.#holds.hold(outcome);
      SendTraces.endHeld(span);
      lease.release(message);
      return;
    }
    await this.#options.writer.write(outcome, { atOnce: lane === 'urgent', onDeferred });
    SendTraces.endProcessing(span, outcome);
    lease.release(message);
    if (outcome.type === 'retry' && outcome.pausedChannelId) {
      await this.#parkedMessages.recheckChannel(outcome.pausedChannelId);
    }
  }

  async #claim(jobs: readonly (readonly string[])[]): Promise<ClaimedMessage[][]> {
    const { pool, clock } = this.#options;
    // A message that is in several jobs is assigned to the first job.
    const jobIndexes = new Map<string, number>();
    for (const [job, ids] of jobs.entries()) for (const id of ids) if (!jobIndexes.has(id)) jobIndexes.set(id, job);
    const claimed: ClaimedMessage[][] = jobs.map(() => []);
    for (const message of await claimMessages(pool, [...jobIndexes.keys()], clock.now())) {
      claimed[jobIndexes.get(message.id) as number]?.push(message);
    }
    return claimed;
  }

  async #submit(
    message: ClaimedMessage,
    hours: MessageHours | null,
    departure: ClaimedDeparture,
    signal: AbortSignal,
    span: Span | null,
  ): Promise<StatusEvent | Hold> {
    const { clock, faults } = this.#options;
    const { id, requestId, attempt } = message;
    const now = clock.now();
    const obstacle = findObstacle(message, now);
    if (obstacle) return { type: 'end', id, requestId, attempt, at: now, maybeAccepted: false, ...obstacle };
    const pause = message.details?.pause;
    if (pause) return this.#park(message, { errorCode: pause.code, errorMessage: pause.reason, maybeAccepted: false });
    if (hours && !hours.isOpen(now)) return this.#findHold(message, hours, now);
    const code = this.#openCode(message, now);
    if (code && typeof code !== 'string') {
      return { type: 'end', id, requestId, attempt, at: now, maybeAccepted: false, ...code };
    }
    const closesAt = hours?.closesAt ?? null;
    const limited = closesAt && closesAt < message.validUntil ? { ...message, validUntil: closesAt } : message;
    const result = await this.#submitWithCode(limited, departure, code, signal, span);
    if (!result.accepted && hours && departure.isQuiet) {
      const { answerLost, acceptedParts, code: errorCode, message: errorMessage } = result.error;
      if (!answerLost && acceptedParts.length === 0) return this.#findHold(message, hours, clock.now());
      // The parts that a carrier accepted are stored first. The next claim holds the other parts.
      const parts = { carrier: result.carrier, parts: acceptedParts };
      const reason = { errorCode, errorMessage, maybeAccepted: true, acceptedParts: parts };
      return { type: 'retry', id, requestId, attempt, delayMs: 0, ...reason };
    }
    if (!result.accepted) return this.#toFailureEvent(message, result.carrier, result.error, departure.obstacle);
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
      ...(carrier !== message.carrier && { replacesCarrier: true }),
      at: clock.now(),
    };
  }

  #findHold(message: ClaimedMessage, hours: MessageHours, now: Date): StatusEvent | Hold {
    const { id, requestId, attempt } = message;
    const hold = hours.findHold(message, now);
    if (hold === 'never') return { type: 'end', id, requestId, attempt, at: now, maybeAccepted: false, ...QUIET_HOURS };
    if (hold !== 'open') return hold;
    const { code: errorCode, message: errorMessage } = CarrierError.notSubmitted('Quiet hours ended.');
    return { type: 'retry', id, requestId, attempt, delayMs: 0, errorCode, errorMessage, maybeAccepted: false };
  }

  /** Returns null for messages without a sign-in code. */
  #openCode({ code }: ClaimedMessage, now: Date): string | Obstacle | null {
    if (code === null) return null;
    const { sealed, expiresAt, verificationId } = code;
    if (sealed === null || expiresAt === null || now >= new Date(expiresAt)) return CODE_ENDED;
    return this.#options.codes.open(Buffer.from(sealed, 'base64'), verificationId) ?? CODE_UNREADABLE;
  }

  #submitWithCode(
    message: ClaimedMessage,
    departure: ClaimedDeparture,
    code: string | null,
    signal: AbortSignal,
    span: Span | null,
  ) {
    if (code === null) return this.#submitter.submit(message, departure, signal, span);
    const messageWithCode = { ...message, ...insertCode(message, code) };
    const submit = () => this.#submitter.submit(messageWithCode, departure, signal, span, code);
    return this.#options.calls.withHiddenSecret(message.id, code, submit);
  }

  #toFailureEvent(
    message: ClaimedMessage,
    carrier: string,
    refusal: CarrierError,
    obstacle: Obstacle | null,
  ): StatusEvent {
    const { id, requestId, attempt } = message;
    const { acceptedParts: parts } = refusal;
    const now = this.#options.clock.now();
    const reason = {
      errorCode: refusal.code,
      errorMessage: refusal.message,
      maybeAccepted: refusal.answerLost || parts.length > 0,
      ...(parts.length > 0 && { acceptedParts: { carrier, parts } }),
    };
    if (obstacle) return { type: 'end', id, requestId, attempt, at: now, ...reason, ...obstacle };
    if (!refusal.retryable) return { type: 'end', id, requestId, attempt, status: 'failed', at: now, ...reason };
    if (refusal.code === NOT_SUBMITTED) return { type: 'retry', id, requestId, attempt, delayMs: 0, ...reason };
    if (refusal.channelPaused && message.details?.channelId) return this.#park(message, reason);
    const remainingMs = Math.max(0, message.validUntil.getTime() - now.getTime());
    const pauseMs = Math.max(refusal.pauseMs, retryDelayMs(attempt, this.#options.random ?? Math.random));
    return { type: 'retry', id, requestId, attempt, delayMs: Math.min(pauseMs, remainingMs), ...reason };
  }

  #park(message: ClaimedMessage, reason: Parameters<typeof ParkedMessages.createEvent>[2]): StatusEvent {
    return ParkedMessages.createEvent(message, message.details?.channelId as string, reason, this.#options.clock.now());
  }
}

const UNKNOWN_HOURS_DELAY_MS = 1_000;

function createUnknownHoursEvent({ id, requestId, attempt }: ClaimedMessage): StatusEvent {
  const errorMessage = 'Could not check whether quiet hours apply.';
  const reason = { errorCode: NOT_SUBMITTED, errorMessage, maybeAccepted: false };
  return { type: 'retry', id, requestId, attempt, delayMs: UNKNOWN_HOURS_DELAY_MS, ...reason };
}

const CODE_UNREADABLE: Obstacle = {
  status: 'failed',
  errorCode: 'CODE_UNREADABLE',
  errorMessage: 'The sign-in code was encrypted with a VERIFICATION_SECRET that this process does not have.',
};
