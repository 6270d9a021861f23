/** Numbers of one turn: what a full job of an account moves its next job back by. */
const TURN = 8;
/** Who was idle may be so far before the time: its next job is then before all that wait. */
const AHEAD = TURN + 1;
/** The time at which numbers begin. */
const FIRST = 2 * TURN;
/** How far apart two numbers may be for their messages to go in one job. */
export const SAME_TURN = TURN;
/** BullMQ's highest priority number. */
export const LAST_TURN = 2 ** 21 - 1;
/** Accounts that are kept before those whose jobs are over are forgotten. */
const KEPT_ACCOUNTS = 1_000;

/** Begins the names of an account's lines of the lane's higher priority. */
const FIRST_LINE = '!';

/** Whose job is to be given a number. */
export interface Place {
  accountId: string;
  /** What takes turns within the account: a campaign; null for everything else. */
  campaignId: string | null;
  /** Of the two priorities of the lane the higher one. */
  first: boolean;
  /** Part of a full job that it is, above 0; more than 1 where the messages of a flow make one job. */
  share: number;
}

interface Account {
  /** The number of the last job of each line. */
  lines: Map<string, number>;
  /** The highest of those of the higher priority. */
  firstEnd: number;
}

/**
 * Gives the jobs of a lane numbers, by which BullMQ runs them, so that accounts take turns whatever their backlogs: fair
 * queueing by virtual time. The time is the number of the job that runs. A job's number is that of its line's last job,
 * or the time if that is later, and its length. So ten jobs of one account lie a turn apart, and the first job of
 * another lies before the second of them. A job of the lane's higher
 * priority is an eighth as long, and one of the lower comes after those of its account.
 *
 * What each process knows of the lines is its own: an account that sends through several has as many turns. A process
 * that forgot them begins at the time.
 */
export class LaneOrder {
  #now = FIRST;
  readonly #accounts = new Map<string, Account>();
  #keep = KEPT_ACCOUNTS;

  /** The number of an account's next job, from 1 to LAST_TURN. */
  next(place: Place): number {
    const { accountId, campaignId, first, share } = place;
    const account = this.#accounts.get(accountId) ?? { lines: new Map<string, number>(), firstEnd: 0 };
    const name = `${first ? FIRST_LINE : ''}${campaignId ?? ''}`;
    const start = Math.max(this.#now - AHEAD, account.lines.get(name) ?? 0, first ? 0 : account.firstEnd);
    account.lines.delete(name);
    this.#forgetLines(account);
    // Several lines of an account share its turn, those of the higher priority only among themselves.
    const others = [...account.lines.keys()].filter((other) => !first || other.startsWith(FIRST_LINE));
    const end = start + (first ? 1 : Math.ceil(TURN * share)) * (1 + others.length);
    if (end > LAST_TURN) {
      this.#beginAnew(FIRST);
      return this.next(place);
    }
    account.lines.set(name, end);
    if (first) account.firstEnd = end;
    this.#accounts.set(accountId, account);
    return end;
  }

  /** The job of this number is running, or the next to run. */
  reached(number: number): void {
    // Another process began anew; what waits with high numbers runs when the low ones are through, or by the relay.
    if (number < LAST_TURN / 4 && this.#now > LAST_TURN / 2) this.#beginAnew(Math.max(number, FIRST));
    else if (number > this.#now) this.#now = number;
    if (this.#accounts.size > this.#keep) this.#forget();
  }

  /** Nothing waits: every number that was given is over. */
  drained(): void {
    let now = this.#now;
    for (const { lines } of this.#accounts.values()) now = Math.max(now, ...lines.values());
    this.#beginAnew(now > LAST_TURN / 2 ? FIRST : now);
  }

  #beginAnew(now: number): void {
    this.#now = now;
    this.#accounts.clear();
  }

  /** Forgets the lines of which no job waits. */
  #forgetLines({ lines }: Account): void {
    for (const [name, end] of lines) if (end <= this.#now) lines.delete(name);
  }

  #forget(): void {
    for (const [id, account] of this.#accounts) {
      this.#forgetLines(account);
      if (account.lines.size === 0) this.#accounts.delete(id);
    }
    this.#keep = Math.max(KEPT_ACCOUNTS, 2 * this.#accounts.size);
  }
}
