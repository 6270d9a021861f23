import type { Static } from '@sinclair/typebox';
import type { AuditEntry } from '../../../../src/surfaces/admin/contract/audit-schemas.js';

/** A line of the audit log. */
export type AuditLine = Static<typeof AuditEntry>;
