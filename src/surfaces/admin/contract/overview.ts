import { AccountPath } from './accounts-schemas.js';
import type { Contract } from './contract.js';
import {
  AttentionData,
  InstallationOverviewData,
  InstallationOverviewQuery,
  OverviewData,
  OverviewQuery,
} from './overview-schemas.js';

export const OVERVIEW = {
  'GET /accounts/:accountId/overview': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetOverview',
    summary: 'Count messages by event, over time and by channel, carrier and country',
    description: 'Events count in the hour in which they were recorded. Counts are kept for 400 days.',
    params: AccountPath,
    query: OverviewQuery,
    data: OverviewData,
  },
  'GET /attention': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleGetAttention',
    summary: 'List problems of carriers, webhooks and accounts',
    data: AttentionData,
  },
  'GET /overview': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleGetInstallationOverview',
    summary: 'Count messages of all accounts by event, and by account',
    description: 'Events count in the hour in which they were recorded. Counts are kept for 400 days.',
    query: InstallationOverviewQuery,
    data: InstallationOverviewData,
  },
} satisfies Contract;
