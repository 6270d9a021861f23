/**
 * Applied to each of our connections, because statements or the driver rely on them. The server, the database or the
 * role may have other defaults (`ALTER ROLE … SET`). All exist since PostgreSQL 15.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // A pool with `byKeyOnly` disables most plans, which adds 1e10 to the estimated cost of the remaining ones.
  // PostgreSQL would then spend seconds on compiling a statement that runs for a millisecond.
  jit: 'off',
  // Claims and statuses are conditional updates that wait for a row and then see its latest version.
  default_transaction_isolation: 'read committed',
  // The driver parses text in these forms.
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  // We set our own limits: `patienceMs`, and a pool's `statement_timeout`.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** Formats parameters for the `options` of a connection, in which a backslash escapes a space (libpq, "options"). */
export function toStartupOptions(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
    .join(' ');
}
