export type Actor =
  | { kind: 'operator'; id: string; name: string; address: string }
  /** The operating-system user who ran a `heliograph` command. */
  | { kind: 'cli'; name: string }
  /** Heliograph itself is the actor, for example at its first start. */
  | { kind: 'system'; name: string };

/** Must contain no secrets. */
export interface AuditEntry {
  /** `thing.verb`, for example `app.create`. */
  action: string;
  /** Null: the whole installation. */
  accountId: string | null;
  /** ID or name of the changed object. */
  subject: string;
  /** Changed fields with their former values, or unset if the object is new. */
  before?: object | null;
  /** Changed fields with their new values, or unset if the object was deleted. */
  after?: object | null;
}
