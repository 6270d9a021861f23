/**
 * Business time, which decides reply windows, validity and schedules. Leases and retries use PostgreSQL's clock instead, so
 * that processes on several machines agree.
 */
export interface Clock {
  now(): Date;
}
