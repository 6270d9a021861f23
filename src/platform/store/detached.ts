/** The comment of a detached table with old messages, which is to be dropped. Its content counts as deleted. */
export const DETACHED = 'Heliograph: detached by MESSAGE_RETENTION_DAYS, dropped by the next sweep';
