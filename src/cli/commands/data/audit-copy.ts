import { writeAuditEntry } from '../../../accounts/audit/audit-log.js';
import type { OnFilled } from '../../../features/backup/backup.js';
import { cliActor } from '../../change.js';

/**
 * Writes the entry in the transaction that copies the rows, while the table still has the columns of the version that wrote
 * them.
 */
export function auditCopy(action: 'store.restore' | 'store.move', subject: string): OnFilled {
  return (client, { takenAt, rows }) =>
    writeAuditEntry(client, { actor: cliActor(), accountId: null, action, subject, after: { takenAt, rows } });
}
