import type { Sessions, SignedIn } from '../../../../accounts/operators/sessions/sessions.js';
import { ALL } from '../../../../platform/live/live-feed.js';

/** Keeps pages from reloading all the time during heavy traffic. */
const NOTICE_EVERY_MS = 500;
/** After this time, everything counts as stale: some changes are not announced, such as those of the command line. */
const ALL_EVERY_MS = 10_000;
/** Sessions are checked this often even without a notice. */
const CHECK_EVERY_MS = 2_000;

export interface LiveStream {
  sessionId: string;
  mayGoOn(signedIn: SignedIn): boolean;
  push(topics: string[]): void;
  /** Called only once. */
  ended(): void;
}

interface OpenStream {
  stale: Set<string>;
  allTimer: NodeJS.Timeout;
}

/** Checks the sessions of all streams with one query every two seconds, and one before each round of notices. */
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

  open(stream: LiveStream, stale: Iterable<string>): void {
    const allTimer = setInterval(() => this.add(stream, [ALL]), ALL_EVERY_MS);
    this.#open.set(stream, { stale: new Set(), allTimer });
    this.#checkTimer ??= setInterval(() => this.#checkAll(), CHECK_EVERY_MS);
    this.add(stream, stale);
  }

  add(stream: LiveStream, topics: Iterable<string>): void {
    const open = this.#open.get(stream);
    if (!open) return;
    for (const topic of topics) open.stale.add(topic);
    if (open.stale.size > 0) this.#beginRound();
  }

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

  /** Ends streams whose session no longer allows them, or all if the store is unavailable. */
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
