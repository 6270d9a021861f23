import type { Logger } from 'pino';
import { audit } from '../../../accounts/audit/audit-log.js';
import type { Copied } from '../../../features/backup/backup.js';
import { openPool } from '../../../platform/store/connections/pool.js';
import { cliActor } from '../../change.js';

/** Writes the line of the audit log that says where the rows of a store came from. */
export async function auditCopy(
  url: string,
  log: Logger,
  { action, subject, copied }: { action: 'store.restore' | 'store.move'; subject: string; copied: Copied },
): Promise<void> {
  const pool = openPool({ url, size: 1, log });
  try {
    const { takenAt, rows } = copied;
    await audit(pool, { actor: cliActor(), accountId: null, action, subject, after: { takenAt, rows } });
  } finally {
    await pool.end();
  }
}
