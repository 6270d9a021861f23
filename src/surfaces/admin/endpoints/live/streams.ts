import type { Sessions, SignedIn } from '../../../../accounts/operators/sessions/sessions.js';
import { ALL } from '../../../../platform/live/live-feed.js';

/** Shortest time between notices, so that pages do not reload constantly during heavy traffic. */
const NOTICE_EVERY_MS = 500;
/** Pages reload everything this often, because changes made by the command line, for example, are not announced. */
const RELOAD_ALL_EVERY_MS = 10_000;
/** Sessions are checked this often even without a notice to send. */
const CHECK_EVERY_MS = 2_000;

export interface LiveStream {
  sessionId: string;
  mayContinue(signedIn: SignedIn): boolean;
  push(topics: string[]): void;
  /** Called only once. */
  onEnd(): void;
}

interface OpenStream {
  staleTopics: Set<string>;
  allTimer: NodeJS.Timeout;
}

/** Checks the sessions of all streams with one query, every two seconds and before each round of notices. */
export class LiveStreams {
  readonly #sessions: Pick<Sessions, 'findByIds'>;
  readonly #open = new Map<LiveStream, OpenStream>();
  #checkTimer: NodeJS.Timeout | undefined;
  #isChecking = false;
  /** Whether a round of notices has started and it is too early for the next round. */
  #isRoundBlocked = false;

  constructor(sessions: Pick<Sessions, 'findByIds'>) {
    this.#sessions = sessions;
  }

  open(stream: LiveStream, stale: Iterable<string>): void {
    const allTimer = setInterval(() => this.add(stream, [ALL]), RELOAD_ALL_EVERY_MS);
    this.#open.set(stream, { staleTopics: new Set(), allTimer });
    this.#checkTimer ??= setInterval(() => this.#checkAll(), CHECK_EVERY_MS);
    this.add(stream, stale);
  }

  add(stream: LiveStream, topics: Iterable<string>): void {
    const open = this.#open.get(stream);
    if (!open) return;
    for (const topic of topics) open.staleTopics.add(topic);
    if (open.staleTopics.size > 0) this.#beginRound();
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
    stream.onEnd();
  }

  endAll(): void {
    for (const stream of [...this.#open.keys()]) this.end(stream);
  }

  #beginRound(): void {
    if (this.#isRoundBlocked) return;
    this.#isRoundBlocked = true;
    // The microtask delays the round until all streams that concern the same notification have been marked.
    queueMicrotask(async () => {
      await this.#notify();
      setTimeout(() => {
        this.#isRoundBlocked = false;
        if ([...this.#open.values()].some(({ staleTopics: stale }) => stale.size > 0)) this.#beginRound();
      }, NOTICE_EVERY_MS).unref();
    });
  }

  async #notify(): Promise<void> {
    const notices = new Map<LiveStream, string[]>();
    for (const [stream, open] of this.#open) {
      if (open.staleTopics.size === 0) continue;
      notices.set(stream, [...open.staleTopics]);
      open.staleTopics.clear();
    }
    await this.#check([...notices.keys()]);
    for (const [stream, topics] of notices) {
      if (!this.#open.has(stream)) continue;
      try {
        stream.push(topics);
      } catch {
        // The push failed because the stream's connection has just been closed.
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

  /** Ends streams whose session no longer allows them, or all streams if the store is unavailable. */
  async #check(streams: readonly LiveStream[]): Promise<void> {
    if (streams.length === 0) return;
    const ids = [...new Set(streams.map(({ sessionId }) => sessionId))];
    const signedInById = await this.#sessions.findByIds(ids).catch(() => new Map<string, SignedIn>());
    for (const stream of streams) {
      const signedIn = signedInById.get(stream.sessionId);
      if (!signedIn || !stream.mayContinue(signedIn)) this.end(stream);
    }
  }
}
