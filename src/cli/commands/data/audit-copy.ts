import { writeAuditEntry } from '../../../accounts/audit/audit-log.js';
import type { OnFilled } from '../../../features/backup/backup.js';
import { cliActor } from '../../change.js';

/**
 * Writes the audit log entry in the transaction that copies the rows, because later migrations may change the table's columns.
 */
export function auditCopy(action: 'store.restore' | 'store.move', subject: string): OnFilled {
  return (client, { takenAt, rows }) =>
    writeAuditEntry(client, { actor: cliActor(), accountId: null, action, subject, after: { takenAt, rows } });
}
