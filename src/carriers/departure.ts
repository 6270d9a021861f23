/** Decides whether a message may still be sent, because its validity may end or its recipient may opt out while it waits. */
export interface Departure {
  /**
   * `check` must be called after the last wait, right before the message is sent. Returns a promise only if the rules must be
   * read again. If the rules cannot be read, the code of the CarrierError is NOT_SUBMITTED.
   * @throws {CarrierError}
   */
  check(): Promise<void> | undefined;
  /**
   * `require` must be called right before the first byte is written. Throws if the last `check` found that the message must not
   * be sent.
   * @throws {CarrierError}
   */
  require(): void;
}

const RECHECK_MS = 500;

/**
 * Checks the departure before the request starts, and again when the request gets a connection, which may take seconds. The
 * request must call `beforeSend` before writing the first byte, and rethrow any error of `beforeSend`.
 * @throws {CarrierError}
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
