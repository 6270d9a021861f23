/**
 * Checks whether a message may still leave. While it waits inside a carrier (for a window, rate, upload, token, pause or
 * connection), its validity may end or its recipient may opt out.
 */
export interface Departure {
  /**
   * Call after the last wait, right before the message leaves.
   * @returns undefined if the message may leave now, or a promise while the rules are read again; the message may leave when
   * it resolves
   * @throws {CarrierError} (or rejects with one) not retryable if the message must not leave; NOT_SUBMITTED if the rules
   * could not be read
   */
  check(): Promise<void> | undefined;
  /**
   * Call when the first byte is about to be written. Decides synchronously, from the last `check`.
   * @throws {CarrierError} like `check`
   */
  require(): void;
}

/** How often to recheck the rules while a request waits for its connection. */
const RECHECK_MS = 500;

/**
 * Makes the HTTP request that submits a message, unless the message must not leave. Checks before the request starts, and
 * again when it gets a connection, which may take seconds.
 * @param departure absent if nothing can stop the message
 * @param requireOpen throws if the carrier was closed or the sender stopped
 * @param request must call `leaving` before writing the first byte, and rethrow its error
 * @throws {CarrierError} as `Departure` does; also whatever `request` throws
 */
export async function requestUnlessWithheld<Answer>(
  departure: Departure | undefined,
  requireOpen: () => void,
  request: (leaving: () => void) => Promise<Answer>,
): Promise<Answer> {
  await departure?.check();
  requireOpen();
  const recheck = async () => departure?.check();
  // Errors surface in `require`.
  const timer = departure && setInterval(() => void recheck().catch(() => undefined), RECHECK_MS);
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
