/**
 * Business time: reply windows, validity, waits and schedules. Leases and retries go by PostgreSQL's clock instead,
 * so that processes on several machines agree on them.
 */
export interface Clock {
  now(): Date;
}
