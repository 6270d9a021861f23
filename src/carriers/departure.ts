/**
 * Whether a message may still leave. Its validity may end, or its recipient may opt out, while it waits inside a carrier: for
 * a window, a rate, an upload, a token, a pause or a connection.
 */
export interface Departure {
  /**
   * Call it after the last wait, directly before the message leaves.
   * @returns undefined when the message may leave now. A promise when the rules are read again first: the message may leave
   * when it resolves.
   * @throws {CarrierError} or rejects with one: not retryable when the message must not leave any more; NOT_SUBMITTED when the
   * rules could not be read
   */
  check(): Promise<void> | undefined;
  /**
   * For the moment at which the first byte is written: decides by what the last `check` learned.
   * @throws {CarrierError} as `check`
   */
  require(): void;
}

/** How often the rules are read again while a request waits for its connection. */
const READ_AGAIN_MS = 500;

/**
 * Makes the request that submits a message over HTTP, unless the message must not leave any more. That is checked before the
 * request is made, and again once it has a connection, which may take seconds.
 * @param departure the message's; left out where nothing can hold it back
 * @param requireOpen throws when the carrier was closed or the sender stopped
 * @param request makes the request; it calls `leaving` before the first byte is written, and throws on what that throws
 * @throws {CarrierError} as `Departure`, beside what `request` throws
 */
export async function requestUnlessWithheld<Answer>(
  departure: Departure | undefined,
  requireOpen: () => void,
  request: (leaving: () => void) => Promise<Answer>,
): Promise<Answer> {
  await departure?.check();
  requireOpen();
  const readAgain = async () => departure?.check();
  // What it finds out is thrown by `require`.
  const timer = departure && setInterval(() => void readAgain().catch(() => undefined), READ_AGAIN_MS);
  try {
    return await request(() => {
      clearInterval(timer);
      requireOpen();
      departure?.require();
    });
  } finally {
    clearInterval(timer);
  }
}
