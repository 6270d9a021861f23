/** The pause after a full scan is this many times as long as the scan, so that scans take at most a twentieth of the time. */
const FULL_SCAN_PAUSE_FACTOR = 20;
/** Full scans happen at least this often. */
const MAX_FULL_SCAN_PAUSE_MS = 5 * 60_000;
/** This margin is longer than any transaction that uses its own start as a message's due time. */
const MARGIN_MS = 5_000;

/**
 * Decides how far back the relay looks for due messages. While a snapshot stays open, the index keeps an entry for every
 * message that was ever open, so full scans are slow. Scans between two full scans therefore go back only to the previous scan.
 * Messages with an earlier due time, such as those released by another process, wait for the next full scan.
 *
 * All times in this class are from `performance.now()`.
 */
export class RelayLookback {
  /** Null if due messages from any time may be left. */
  #clearSince: number | null = null;
  #fullScanStart = Number.NEGATIVE_INFINITY;
  /** Durations of the last two full scans, because a short load spike slows down only one of them. */
  #fullScanMs: readonly [number, number] = [0, 0];

  /** @returns how many milliseconds back a scan starting now should go, or null for a full scan */
  chooseReach(now: number): number | null {
    if (this.#clearSince === null) return null;
    const pause = Math.min(Math.min(...this.#fullScanMs) * FULL_SCAN_PAUSE_FACTOR, MAX_FULL_SCAN_PAUSE_MS);
    return now - this.#fullScanStart >= pause ? null : now - this.#clearSince + MARGIN_MS;
  }

  /**
   * @param scan the reach from `chooseReach`, the start and end, and whether the scan found everything due within its
   * reach
   */
  recordScan({
    reach,
    startedAt,
    endedAt,
    foundAll,
  }: {
    reach: number | null;
    startedAt: number;
    endedAt: number;
    foundAll: boolean;
  }) {
    if (foundAll) this.#clearSince = startedAt;
    if (reach !== null) return;
    if (!foundAll) this.#clearSince = null;
    this.#fullScanStart = startedAt;
    this.#fullScanMs = [this.#fullScanMs[1], endedAt - startedAt];
  }
}
