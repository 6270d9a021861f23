export type Actor =
  | { kind: 'operator'; id: string; name: string; address: string }
  /** The operating-system user who ran a command. */
  | { kind: 'cli'; name: string }
  /** Heliograph itself, for example at the first start. */
  | { kind: 'system'; name: string };

/** Must contain no secrets. */
export interface AuditEntry {
  /** `thing.verb`, for example `app.create`. */
  action: string;
  /** Null: the whole installation. */
  accountId: string | null;
  /** ID or name of the changed object. */
  subject: string;
  /** JSON; unset for a new object. */
  before?: object | null;
  /** Unset if the object was deleted. */
  after?: object | null;
}
