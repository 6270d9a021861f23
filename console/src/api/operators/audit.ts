import type { Static } from '@sinclair/typebox';
import type { AuditEntry } from '../../../../src/surfaces/admin/contract/audit-schemas.js';

export type AuditLine = Static<typeof AuditEntry>;
