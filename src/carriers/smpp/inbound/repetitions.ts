/** A response sent shortly before the end of the connection may not have reached the SMSC. */
const DOUBTFUL_RESPONSE_MS = 10_000;
/**
 * No SMSC has a shorter response timeout than this. Before this time has passed, a second message with the same content is a
 * new message.
 */
const MIN_RESPONSE_TIMEOUT_MS = 5_000;
/** After the end of a connection, the SMSC may repeat messages that it considers unanswered. */
const REMEMBERED_MS = 10 * 60_000;
/** This number is large enough, because an SMSC repeats at most the messages in its window, which is far smaller. */
const MAX_REMEMBERED = 10_000;

export interface Arrival {
  readonly fingerprint: string;
  readonly id: string;
  isStored: boolean;
  connection: object;
  arrivedAt: number;
  answeredAt: number | null;
  /** When the connection ended, or null while it is open. */
  endedAt: number | null;
}

/**
 * SMPP gives inbound messages neither an ID nor a timestamp. A message counts as a repetition only if our response to
 * the first delivery was an error, is overdue, or may have been lost.
 */
export class Repetitions {
  /** By fingerprint, oldest first. */
  readonly #arrivals = new Map<string, Arrival>();

  register(fingerprint: string, connection: object, now: number, createId: () => string): Arrival {
    this.#removeExpired(now);
    const previous = this.#arrivals.get(fingerprint);
    const arrival =
      previous && mayBeRepeated(previous, now)
        ? { ...previous, connection, arrivedAt: now, answeredAt: null, endedAt: null }
        : { fingerprint, id: createId(), isStored: false, connection, arrivedAt: now, answeredAt: null, endedAt: null };
    this.#arrivals.delete(fingerprint);
    this.#arrivals.set(fingerprint, arrival);
    return arrival;
  }

  forget(arrival: Arrival): void {
    if (this.#arrivals.get(arrival.fingerprint) === arrival) this.#arrivals.delete(arrival.fingerprint);
  }

  handleConnectionEnd(connection: object, now: number): void {
    for (const arrival of this.#arrivals.values()) if (arrival.connection === connection) arrival.endedAt ??= now;
  }

  #removeExpired(now: number): void {
    for (const [fingerprint, arrival] of this.#arrivals) {
      if (this.#arrivals.size <= MAX_REMEMBERED && !isExpired(arrival, now)) return;
      this.#arrivals.delete(fingerprint);
    }
  }
}

function mayBeRepeated({ isStored, arrivedAt, answeredAt, endedAt }: Arrival, now: number): boolean {
  if (endedAt !== null) {
    return endedAt > now - REMEMBERED_MS && (answeredAt === null || answeredAt >= endedAt - DOUBTFUL_RESPONSE_MS);
  }
  return answeredAt === null ? arrivedAt <= now - MIN_RESPONSE_TIMEOUT_MS : !isStored;
}

function isExpired(arrival: Arrival, now: number): boolean {
  const { answeredAt, endedAt } = arrival;
  if (endedAt !== null) return !mayBeRepeated(arrival, now);
  return answeredAt !== null && answeredAt < now - (arrival.isStored ? DOUBTFUL_RESPONSE_MS : REMEMBERED_MS);
}
