import { pageQuery } from '../answers.js';
import { AccountPath } from './accounts-schemas.js';
import { AUDIT_FILTERS, AuditEntry } from './audit-schemas.js';
import type { Contract } from './contract.js';

const QUERY = pageQuery(AUDIT_FILTERS);

export const AUDIT = {
  'GET /accounts/:accountId/audit': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListAccountAudit',
    summary: 'List changes to an account, newest first',
    params: AccountPath,
    query: QUERY,
    entry: AuditEntry,
  },
  'GET /audit': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleListAudit',
    summary: 'List changes to the installation and all accounts, newest first',
    query: QUERY,
    entry: AuditEntry,
  },
} satisfies Contract;
