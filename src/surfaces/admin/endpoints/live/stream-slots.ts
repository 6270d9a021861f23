import { AppError } from '../../../../platform/errors/app-error.js';

/** Limits that are fixed, unlike the limits per account and for the whole process, which are settings. */
const LIMITS = { session: 20, operator: 40 } as const;

/** Maximum open streams of a process. */
export interface StreamLimits {
  account: number;
  process: number;
}

export interface StreamOwners {
  session: string;
  operator: string;
  /** Account ID, or null if the page watches all accounts of its operator and counts towards no account's limit. */
  account: string | null;
}

type LimitKind = keyof StreamOwners | 'process';

/**
 * Limits streams, because one viewer with many sessions could slow down other accounts. In a measurement with 50 sessions of 20
 * streams each, a send by another account took up to 9.4 s.
 */
export class StreamSlots {
  readonly #limits: Readonly<Record<LimitKind, number>>;
  readonly #openCounts = new Map<string, number>();

  constructor(limits: StreamLimits) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * @returns function that releases the slot; a second call does nothing
   * @throws {AppError} RATE_LIMITED naming the limit that is reached
   */
  acquire({ session, operator, account }: StreamOwners): () => void {
    const owners: [LimitKind, string][] = [
      ['session', session],
      ['operator', operator],
      ...(account === null ? [] : [['account', account] as [LimitKind, string]]),
      ['process', ''],
    ];
    const fullOwner = owners.find(([kind, id]) => (this.#openCounts.get(`${kind} ${id}`) ?? 0) >= this.#limits[kind]);
    if (fullOwner) throw new AppError('RATE_LIMITED', describeLimit(fullOwner[0], this.#limits[fullOwner[0]]));
    this.#count(owners, 1);
    let isAcquired = true;
    return () => {
      if (isAcquired) this.#count(owners, -1);
      isAcquired = false;
    };
  }

  #count(owners: readonly (readonly [LimitKind, string])[], by: 1 | -1): void {
    for (const [kind, id] of owners) {
      const key = `${kind} ${id}`;
      const count = (this.#openCounts.get(key) ?? 0) + by;
      if (count === 0) this.#openCounts.delete(key);
      else this.#openCounts.set(key, count);
    }
  }
}

function describeLimit(kind: LimitKind, limit: number): string {
  switch (kind) {
    case 'session':
      return `Too many pages are open: a browser may have ${limit}. Close some of them.`;
    case 'operator':
      return `Too many pages are open: an operator may have ${limit} in all browsers. Close some of them.`;
    case 'account':
      return `Too many pages of this account are open: it may have ${limit}. Close some of them.`;
    case 'process':
      return `Too many pages are open on this server: it may have ${limit}. Try again later.`;
  }
}
