/** A value, and the carrier's time of it: ISO 8601. */
interface Dated<T> {
  value: T;
  at: string;
}

/** What a number or its account may not do for a while. */
export interface Restriction {
  /** The carrier's word. */
  type: string;
  /** When it ends: ISO 8601; null where that is not told. */
  until: string | null;
}

/** Something that a carrier wants read. */
export interface Notice {
  /** The carrier's word for what happened. */
  event: string;
  /** The carrier's word for how bad it is; null where it has none. */
  severity: string | null;
  text: string;
  at: string;
}

/** What a carrier says of a channel's number and its account. */
export interface ChannelStanding {
  /** How many people it may begin to write to within a day, in the carrier's words, such as TIER_1K. */
  messagingLimit?: Dated<string>;
  /** How its messages are received, such as RED; null: nothing is wrong any more. */
  quality?: Dated<string | null>;
  restrictions?: Dated<Restriction[]>;
  /** The newest first. */
  notices: Notice[];
}

/** Something new of it; what is left out stays as it is. */
export interface StandingNews {
  at: Date;
  messagingLimit?: string;
  quality?: string | null;
  restrictions?: Restriction[];
  notice?: Omit<Notice, 'at'>;
}

const MOST_NOTICES = 10;

/** What a channel's row holds. */
export function readStanding(json: unknown): ChannelStanding {
  return { notices: [], ...(json as Partial<ChannelStanding> | null) };
}

/** A standing with something new; what is older than what is known changes nothing, and a notice is there once. */
export function withNews(known: ChannelStanding, news: StandingNews): ChannelStanding {
  const at = news.at.toISOString();
  const newer = <T>(before: Dated<T> | undefined, value: T | undefined) =>
    value === undefined || (before && before.at > at) ? before : { value, at };
  const notice = news.notice && { ...news.notice, at };
  const isKnown = known.notices.some(
    (each) => each.at === at && each.event === notice?.event && each.text === notice.text,
  );
  const notices = notice && !isKnown ? [...known.notices, notice] : known.notices;
  return {
    messagingLimit: newer(known.messagingLimit, news.messagingLimit),
    quality: newer(known.quality, news.quality),
    restrictions: newer(known.restrictions, news.restrictions),
    notices: [...notices].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST_NOTICES),
  };
}

/** Restrictions that have not ended. */
export function restrictionsAt({ restrictions }: ChannelStanding, now: Date): Restriction[] {
  return restrictions?.value.filter(({ until }) => until === null || new Date(until) > now) ?? [];
}
