import { audit } from '../../../accounts/audit/audit-log.js';
import type { OnFilled } from '../../../features/backup/backup.js';
import { cliActor } from '../../change.js';

/**
 * Writes the line of the audit log that says where the rows of a store came from, in the transaction that fills it: the log has
 * the columns of the version that the rows are of.
 */
export function auditCopy(action: 'store.restore' | 'store.move', subject: string): OnFilled {
  return (client, { takenAt, rows }) =>
    audit(client, { actor: cliActor(), accountId: null, action, subject, after: { takenAt, rows } });
}
