import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { DomainCheckData, LinksBody, LinksData } from './links-schemas.js';

export const LINKS = {
  'GET /accounts/:accountId/links': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetLinkSettings',
    summary: 'Show the settings of short links',
    params: AccountPath,
    data: LinksData,
  },
  'PUT /accounts/:accountId/links': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleSetLinkSettings',
    summary: 'Change the settings of short links',
    description: 'Fields that are left out stay as they are. Links use a new domain once it is proved.',
    params: AccountPath,
    body: LinksBody,
    data: LinksData,
  },
  'POST /accounts/:accountId/links/check-domain': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleCheckLinkDomain',
    summary: 'Check the TXT record of the domain for short links',
    description: 'At most once in ten seconds.',
    params: AccountPath,
    data: DomainCheckData,
    errors: [429],
  },
} satisfies Contract;
