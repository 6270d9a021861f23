import { AccountPath } from './accounts-schemas.js';
import {
  AttentionData,
  InstallationOverviewData,
  InstallationOverviewQuery,
  OverviewData,
  OverviewQuery,
} from './overview-schemas.js';
import type { Contract } from './contract.js';

export const OVERVIEW = {
  'GET /accounts/:accountId/overview': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetOverview',
    summary: 'Count what became of messages, by hour or day, channel, carrier and country',
    description: 'An event counts in the hour in which it was written down. Counts are kept for 400 days.',
    params: AccountPath,
    query: OverviewQuery,
    data: OverviewData,
  },
  'GET /attention': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleGetAttention',
    summary: 'Tell what does not go as it should: carriers, webhooks and accounts',
    data: AttentionData,
  },
  'GET /overview': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleGetInstallationOverview',
    summary: 'Count what became of the messages of all accounts, and by account',
    description: 'An event counts in the hour in which it was written down. Counts are kept for 400 days.',
    query: InstallationOverviewQuery,
    data: InstallationOverviewData,
  },
} satisfies Contract;
