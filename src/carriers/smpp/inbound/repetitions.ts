/** An answer that was given less than this before its connection ended may not have reached the SMSC. */
const DOUBTFUL_MS = 10_000;
/** No SMSC gives up waiting for an answer sooner: what reads alike before that was written twice. */
const SOONEST_REPETITION_MS = 5_000;
/** How long an SMSC may take to send again what it believes unanswered. */
const REMEMBERED_MS = 10 * 60_000;
/** The oldest are forgotten first: an SMSC repeats its window, not its day. */
const MAX_REMEMBERED = 10_000;

/** An inbound message that came, perhaps more than once. */
export interface Arrival {
  readonly fingerprint: string;
  /** Under which it is handed over, each time. */
  readonly id: string;
  /** It was handed over, and need only be answered. */
  stored: boolean;
  connection: object;
  arrivedAt: number;
  /** Null until it is answered, be it with an error. */
  answeredAt: number | null;
  /** When its connection ended; null while that stands. */
  endedAt: number | null;
}

/**
 * Tells a message that an SMSC sends again from one that a person wrote again. SMPP gives an inbound message neither an
 * id nor a time, so two that read alike are one only if the SMSC may believe the first unanswered: its answer was an
 * error, is long overdue, or may have been lost with the connection.
 */
export class Repetitions {
  /** By fingerprint, in the order of arrival. */
  readonly #arrivals = new Map<string, Arrival>();

  /** @param makeId gives a message that is new its id */
  arrive(fingerprint: string, connection: object, now: number, makeId: () => string): Arrival {
    this.#forget(now);
    const before = this.#arrivals.get(fingerprint);
    const arrival =
      before && mayBeRepeated(before, now)
        ? { ...before, connection, arrivedAt: now, answeredAt: null, endedAt: null }
        : { fingerprint, id: makeId(), stored: false, connection, arrivedAt: now, answeredAt: null, endedAt: null };
    this.#arrivals.delete(fingerprint);
    this.#arrivals.set(fingerprint, arrival);
    return arrival;
  }

  /** It was no message after all: nothing is told from it. */
  drop(arrival: Arrival): void {
    if (this.#arrivals.get(arrival.fingerprint) === arrival) this.#arrivals.delete(arrival.fingerprint);
  }

  /** All that came over a connection and was not answered long ago may come again. */
  ended(connection: object, now: number): void {
    for (const arrival of this.#arrivals.values()) if (arrival.connection === connection) arrival.endedAt ??= now;
  }

  #forget(now: number): void {
    for (const [fingerprint, arrival] of this.#arrivals) {
      if (this.#arrivals.size <= MAX_REMEMBERED && !isPast(arrival, now)) return;
      this.#arrivals.delete(fingerprint);
    }
  }
}

function mayBeRepeated({ stored, arrivedAt, answeredAt, endedAt }: Arrival, now: number): boolean {
  if (endedAt !== null) {
    return endedAt > now - REMEMBERED_MS && (answeredAt === null || answeredAt >= endedAt - DOUBTFUL_MS);
  }
  return answeredAt === null ? arrivedAt <= now - SOONEST_REPETITION_MS : !stored;
}

/** It can be forgotten: what comes now is not the same. */
function isPast(arrival: Arrival, now: number): boolean {
  const { answeredAt, endedAt } = arrival;
  if (endedAt !== null) return !mayBeRepeated(arrival, now);
  return answeredAt !== null && answeredAt < now - (arrival.stored ? DOUBTFUL_MS : REMEMBERED_MS);
}
