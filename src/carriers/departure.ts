/** While a message waits inside a carrier, its validity may end or its recipient may opt out. */
export interface Departure {
  /**
   * Call after the last wait, right before the message leaves. Returns a promise while the rules are read again.
   * @throws {CarrierError} (or rejects with one) not retryable if the message must not leave; NOT_SUBMITTED if the
   * rules could not be read
   */
  check(): Promise<void> | undefined;
  /**
   * Call when the first byte is about to be written. Applies the result of the last `check`.
   * @throws {CarrierError} like `check`
   */
  require(): void;
}

const RECHECK_MS = 500;

/**
 * Checks the departure before the request starts, and again when it gets a connection, which may take seconds. The
 * request must call `beforeSend` before writing the first byte, and rethrow its error.
 * @param requireOpen throws if the carrier was closed or the sender stopped
 * @throws {CarrierError} like `Departure`
 */
export async function requestUnlessWithheld<Answer>(
  departure: Departure | undefined,
  requireOpen: () => void,
  request: (beforeSend: () => void) => Promise<Answer>,
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
