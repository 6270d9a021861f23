import type { Sessions, SignedIn } from '../../../../accounts/operators/sessions/sessions.js';
import { ALL } from '../../../../platform/live/live-feed.js';

/** Minimum time between two rounds of notices, so that pages do not reload all the time during heavy traffic. */
const NOTICE_EVERY_MS = 500;
/**
 * After this time, everything counts as stale. Some changes are not announced, for example those made by the command line or by a
 * process that was killed; pages see them with this delay at most.
 */
const ALL_EVERY_MS = 10_000;
/** How often every session is checked, in milliseconds, even without a notice. */
const CHECK_EVERY_MS = 2_000;

/** The stream of one page. */
export interface LiveStream {
  sessionId: string;
  /** Whether the current session still allows the stream. */
  mayGoOn(signedIn: SignedIn): boolean;
  /** Sends the stale topics to the page. */
  push(topics: string[]): void;
  /** Called once, when the stream has been ended. */
  ended(): void;
}

interface OpenStream {
  /** Topics that have not been sent to the page yet. */
  stale: Set<string>;
  allTimer: NodeJS.Timeout;
}

/**
 * The open streams of a process. Their sessions are checked together: with one query for all of them every two seconds, and one query
 * before each round of notices. That is at most one query every half second and another every two seconds.
 */
export class LiveStreams {
  readonly #sessions: Pick<Sessions, 'findByIds'>;
  readonly #open = new Map<LiveStream, OpenStream>();
  #checkTimer: NodeJS.Timeout | undefined;
  #isChecking = false;
  /** True from the start of a round until the next one may start. */
  #isPausing = false;

  constructor(sessions: Pick<Sessions, 'findByIds'>) {
    this.#sessions = sessions;
  }

  /** Opens a stream, and sends the topics that became stale while it was being opened. */
  open(stream: LiveStream, stale: Iterable<string>): void {
    const allTimer = setInterval(() => this.add(stream, [ALL]), ALL_EVERY_MS);
    this.#open.set(stream, { stale: new Set(), allTimer });
    this.#checkTimer ??= setInterval(() => this.#checkAll(), CHECK_EVERY_MS);
    this.add(stream, stale);
  }

  /** Adds topics to the next round's notice. Does nothing for a stream that has ended. */
  add(stream: LiveStream, topics: Iterable<string>): void {
    const open = this.#open.get(stream);
    if (!open) return;
    for (const topic of topics) open.stale.add(topic);
    if (open.stale.size > 0) this.#beginRound();
  }

  /** Ends a stream; ending it again does nothing. */
  end(stream: LiveStream): void {
    const open = this.#open.get(stream);
    if (!open) return;
    clearInterval(open.allTimer);
    this.#open.delete(stream);
    if (this.#open.size === 0) {
      clearInterval(this.#checkTimer);
      this.#checkTimer = undefined;
    }
    stream.ended();
  }

  endAll(): void {
    for (const stream of [...this.#open.keys()]) this.end(stream);
  }

  #beginRound(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    // One notification marks many streams in sequence; the microtask lets the round include all of them.
    queueMicrotask(async () => {
      await this.#notify();
      setTimeout(() => {
        this.#isPausing = false;
        if ([...this.#open.values()].some(({ stale }) => stale.size > 0)) this.#beginRound();
      }, NOTICE_EVERY_MS).unref();
    });
  }

  async #notify(): Promise<void> {
    const notices = new Map<LiveStream, string[]>();
    for (const [stream, open] of this.#open) {
      if (open.stale.size === 0) continue;
      notices.set(stream, [...open.stale]);
      open.stale.clear();
    }
    await this.#check([...notices.keys()]);
    for (const [stream, topics] of notices) {
      if (!this.#open.has(stream)) continue;
      try {
        stream.push(topics);
      } catch {
        // The connection has just been closed.
        this.end(stream);
      }
    }
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    await this.#check([...this.#open.keys()]);
    this.#isChecking = false;
  }

  /** Ends streams whose session no longer allows them, or all if the store is unavailable. Their browsers then reconnect. */
  async #check(streams: readonly LiveStream[]): Promise<void> {
    if (streams.length === 0) return;
    const ids = [...new Set(streams.map(({ sessionId }) => sessionId))];
    const signedInById = await this.#sessions.findByIds(ids).catch(() => new Map<string, SignedIn>());
    for (const stream of streams) {
      const signedIn = signedInById.get(stream.sessionId);
      if (!signedIn || !stream.mayGoOn(signedIn)) this.end(stream);
    }
  }
}
