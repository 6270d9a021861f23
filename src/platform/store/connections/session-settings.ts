/** Settings that our statements or the driver rely on, because the server, database or role may have other defaults. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // `byKeyOnly` raises estimated costs, so PostgreSQL's JIT would spend seconds on compiling short statements.
  jit: 'off',
  // Claims and status changes are conditional updates, which must wait for a locked row and then see its latest version.
  default_transaction_isolation: 'read committed',
  // The driver can parse texts only in the configured formats.
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  // The server's default timeouts do not apply, because Heliograph sets its own.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** A backslash escapes a space in startup options (libpq, "options"). */
export function toStartupOptions(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
    .join(' ');
}
