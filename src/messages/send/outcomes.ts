import { withResolvers } from '../../platform/with-resolvers.js';

interface OutcomesOptions {
  /** Called once, when every message has been written or has failed. */
  onSettled(): void;
  /** Failures after `writtenOrDeferred`. */
  onLateFailure(error: unknown): void;
}

/** Counts the outcomes of a claim's messages, because waiting for a promise per message would cost more. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #writtenOrDeferred = withResolvers<void>();
  #unsettled: number;
  /** Number of messages that are neither settled nor waiting for a locked account. */
  #awaited: number;
  #failure: { error: unknown } | null = null;

  constructor(count: number, options: OutcomesOptions) {
    this.#options = options;
    this.#unsettled = count;
    this.#awaited = count;
    if (count > 0) return;
    this.#writtenOrDeferred.resolve();
    options.onSettled();
  }

  /**
   * Resolves once every message is written or waits for a locked account.
   * @throws the first failure, once all messages are done
   */
  get writtenOrDeferred(): Promise<void> {
    return this.#writtenOrDeferred.promise;
  }

  /** Must be called once per message. */
  track(send: (onDeferred: () => void) => Promise<void>): void {
    let isAwaited = true;
    const stopAwaiting = () => {
      if (!isAwaited) return;
      isAwaited = false;
      this.#awaited -= 1;
      if (this.#awaited > 0) return;
      if (this.#failure) this.#writtenOrDeferred.reject(this.#failure.error);
      else this.#writtenOrDeferred.resolve();
    };
    const settle = () => {
      stopAwaiting();
      this.#unsettled -= 1;
      if (this.#unsettled === 0) this.#options.onSettled();
    };
    send(stopAwaiting).then(settle, (error: unknown) => {
      if (!isAwaited) this.#options.onLateFailure(error);
      else this.#failure ??= { error };
      settle();
    });
  }
}
