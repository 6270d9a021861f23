/** Who made a change. */
export type Actor =
  | { kind: 'operator'; id: string; name: string; address: string }
  /** The user of the operating system who ran a command. */
  | { kind: 'cli'; name: string }
  /** Heliograph itself, such as the first start. */
  | { kind: 'system'; name: string };

/** What a change was. No secret may be in it. */
export interface Change {
  /** `thing.verb`, e.g. `app.create`. */
  action: string;
  /** Null: it concerns the whole installation. */
  accountId: string | null;
  /** Id or name of what was changed. */
  subject: string;
  /** What it was, as far as it was changed; left out where it was not there. Anything that is JSON. */
  before?: object | null;
  /** What it became; left out where it is gone. */
  after?: object | null;
}
