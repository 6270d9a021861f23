/** Statements or the driver rely on these; the server, database or role may have other defaults. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // `byKeyOnly` raises the estimated cost, so PostgreSQL would spend seconds on compiling short statements.
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
  // We set our own limits.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** A backslash escapes a space (libpq, "options"). */
export function toStartupOptions(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
    .join(' ');
}
