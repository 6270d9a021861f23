/** Length of a full job in virtual time, by which the account's next job is moved back. */
const TURN = 8;
/** The next job of an idle account may be this far before the current virtual time, and thus ahead of all waiting jobs. */
const MAX_AHEAD = TURN + 1;
const START_NUMBER = 2 * TURN;
/** Messages may share a job if their numbers in the lane order differ by at most this much. */
export const SAME_TURN = TURN;
/** BullMQ's highest priority number. */
export const LAST_TURN = 2 ** 21 - 1;
/** Number of accounts above which accounts without waiting jobs are forgotten. */
const MIN_KEPT_ACCOUNTS = 1_000;

const PRIORITY_LINE_PREFIX = '!';

export interface JobSource {
  accountId: string;
  /** Campaigns of an account take turns with each other. */
  campaignId: string | null;
  first: boolean;
  /** Job size as a multiple of a full job, above 1 for large jobs of steady traffic. */
  share: number;
}

interface Account {
  lines: Map<string, number>;
  priorityEnd: number;
}

/**
 * Numbers the jobs of a lane so that accounts take turns regardless of their backlogs (fair queueing by virtual time). The
 * virtual time is the number of the running job. A job's number is the job's length plus the number of the line's previous job
 * or the virtual time, whichever is later. The length of a job of the higher priority is divided by eight.
 *
 * Each process keeps its own numbers, so an account that sends through several processes gets a turn in each of them.
 */
export class LaneOrder {
  #now = START_NUMBER;
  readonly #accounts = new Map<string, Account>();
  #maxAccounts = MIN_KEPT_ACCOUNTS;

  /** From 1 to LAST_TURN. */
  assignNumber(source: JobSource): number {
    const { accountId, campaignId, first, share } = source;
    const account = this.#accounts.get(accountId) ?? { lines: new Map<string, number>(), priorityEnd: 0 };
    const name = `${first ? PRIORITY_LINE_PREFIX : ''}${campaignId ?? ''}`;
    const start = Math.max(this.#now - MAX_AHEAD, account.lines.get(name) ?? 0, first ? 0 : account.priorityEnd);
    account.lines.delete(name);
    this.#forgetLines(account);
    // The lines of an account share the account's turn, but lines of the higher priority share it only with each other.
    const sharingLines = [...account.lines.keys()].filter((name) => !first || name.startsWith(PRIORITY_LINE_PREFIX));
    const end = start + (first ? 1 : Math.ceil(TURN * share)) * (1 + sharingLines.length);
    if (end > LAST_TURN) {
      this.#restart(START_NUMBER);
      return this.assignNumber(source);
    }
    account.lines.set(name, end);
    if (first) account.priorityEnd = end;
    this.#accounts.set(accountId, account);
    return end;
  }

  advanceTo(number: number): void {
    // A much lower number means that another process has restarted its numbers.
    if (number < LAST_TURN / 4 && this.#now > LAST_TURN / 2) this.#restart(Math.max(number, START_NUMBER));
    else if (number > this.#now) this.#now = number;
    if (this.#accounts.size > this.#maxAccounts) this.#forget();
  }

  /** Must be called when no job waits, because all assigned numbers are then in the past. */
  catchUp(): void {
    let now = this.#now;
    for (const { lines } of this.#accounts.values()) now = Math.max(now, ...lines.values());
    this.#restart(now > LAST_TURN / 2 ? START_NUMBER : now);
  }

  #restart(now: number): void {
    this.#now = now;
    this.#accounts.clear();
  }

  #forgetLines({ lines }: Account): void {
    for (const [name, end] of lines) if (end <= this.#now) lines.delete(name);
  }

  #forget(): void {
    for (const [id, account] of this.#accounts) {
      this.#forgetLines(account);
      if (account.lines.size === 0) this.#accounts.delete(id);
    }
    this.#maxAccounts = Math.max(MIN_KEPT_ACCOUNTS, 2 * this.#accounts.size);
  }
}
