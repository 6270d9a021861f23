/** The comment of a detached table with old messages. Its content counts as deleted. */
export const DETACHED = 'Heliograph: detached by MESSAGE_RETENTION_DAYS, dropped by the next sweep';
