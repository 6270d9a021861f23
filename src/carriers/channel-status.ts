interface Timestamped<T> {
  value: T;
  at: string;
}

export interface Restriction {
  type: string;
  /** ISO 8601. The end of the restriction is null if the carrier does not report it. */
  until: string | null;
}

export interface Notice {
  event: string;
  severity: string | null;
  text: string;
  at: string;
}

/** Stored in `channels.standing`. */
export interface ChannelStatus {
  /** How many people per day the number may start conversations with, in the carrier's terms (for example TIER_1K). */
  messagingLimit?: Timestamped<string>;
  /** Quality rating such as RED; null if the carrier reports no problem. */
  quality?: Timestamped<string | null>;
  restrictions?: Timestamped<Restriction[]>;
  /** Newest first. */
  notices: Notice[];
}

/** Absent fields are unchanged. */
export interface ChannelStatusChange {
  at: Date;
  messagingLimit?: string;
  quality?: string | null;
  restrictions?: Restriction[];
  notice?: Omit<Notice, 'at'>;
}

const MAX_NOTICES = 10;

export function parseChannelStatus(json: unknown): ChannelStatus {
  return { notices: [], ...(json as Partial<ChannelStatus> | null) };
}

/** Applies a change, but ignores repeated notices and values that are older than the current values. */
export function applyStatusChange(current: ChannelStatus, change: ChannelStatusChange): ChannelStatus {
  const changedAt = change.at.toISOString();
  const pickNewer = <T>(before: Timestamped<T> | undefined, value: T | undefined) =>
    value === undefined || (before && before.at > changedAt) ? before : { value, at: changedAt };
  const notice = change.notice && { ...change.notice, at: changedAt };
  const isRepeated = current.notices.some(
    (existing) => existing.at === changedAt && existing.event === notice?.event && existing.text === notice.text,
  );
  const notices = notice && !isRepeated ? [...current.notices, notice] : current.notices;
  return {
    messagingLimit: pickNewer(current.messagingLimit, change.messagingLimit),
    quality: pickNewer(current.quality, change.quality),
    restrictions: pickNewer(current.restrictions, change.restrictions),
    notices: [...notices].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MAX_NOTICES),
  };
}

export function findActiveRestrictions({ restrictions }: ChannelStatus, now: Date): Restriction[] {
  return restrictions?.value.filter(({ until }) => until === null || new Date(until) > now) ?? [];
}
