/** Length of a full job in virtual time: how far it moves the account's next job back. */
const TURN = 8;
/** An idle account's next job may be this far before the current time, which puts it before all waiting jobs. */
const MAX_AHEAD = TURN + 1;
const START_NUMBER = 2 * TURN;
/** Messages may share a job if their numbers are at most this far apart. */
export const SAME_TURN = TURN;
/** BullMQ's highest priority number. */
export const LAST_TURN = 2 ** 21 - 1;
/** Above this number of accounts, those without waiting jobs are forgotten. */
const MIN_KEPT_ACCOUNTS = 1_000;

const PRIORITY_LINE_PREFIX = '!';

export interface JobSource {
  accountId: string;
  /** Campaigns take turns within the account. */
  campaignId: string | null;
  first: boolean;
  /** Size in full jobs; above 1 for large jobs of steady traffic. */
  share: number;
}

interface Account {
  lines: Map<string, number>;
  priorityEnd: number;
}

/**
 * Numbers the jobs of a lane so that accounts take turns regardless of their backlogs (fair queueing by virtual time).
 * The virtual time is the number of the running job. A job's number is that of its line's previous job, or the current
 * time if that is later, plus the job's length. The length of a job of the higher priority is divided by eight.
 *
 * Each process keeps its own numbers, so an account that sends through several processes gets as many turns.
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
    // The lines of an account share its turn; lines of the higher priority share only among themselves.
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
    // Another process has restarted its numbers.
    if (number < LAST_TURN / 4 && this.#now > LAST_TURN / 2) this.#restart(Math.max(number, START_NUMBER));
    else if (number > this.#now) this.#now = number;
    if (this.#accounts.size > this.#maxAccounts) this.#forget();
  }

  /** Call it when no job waits, because all assigned numbers are then in the past. */
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
