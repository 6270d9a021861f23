/** SQL comment on a detached table, whose messages count as deleted. */
export const DETACHED = 'Heliograph: detached by MESSAGE_RETENTION_DAYS, dropped by the next sweep';
