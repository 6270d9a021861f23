/** The comment of a detached table. Its messages count as deleted. */
export const DETACHED = 'Heliograph: detached by MESSAGE_RETENTION_DAYS, dropped by the next sweep';
