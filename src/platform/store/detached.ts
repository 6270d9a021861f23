/** The comment of a table that held messages, was taken off and is to be dropped: what is in it is deleted already. */
export const DETACHED = 'Heliograph: detached by MESSAGE_RETENTION_DAYS, dropped by the next sweep';
