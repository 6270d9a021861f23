import { writeAuditEntry } from '../../../accounts/audit/audit-log.js';
import type { OnFilled } from '../../../features/backup/backup.js';
import { cliActor } from '../../change.js';

/**
 * Writes an audit log entry with the origin of the rows of a store. It is written in the transaction that copies the rows,
 * because the table has the columns of their version only at that time.
 */
export function auditCopy(action: 'store.restore' | 'store.move', subject: string): OnFilled {
  return (client, { takenAt, rows }) =>
    writeAuditEntry(client, { actor: cliActor(), accountId: null, action, subject, after: { takenAt, rows } });
}
