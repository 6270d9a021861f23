import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/asking/query-client.js';
import { type Session, sessionQuery } from '../api/session.js';
import type { SearchParams } from '../browser/search.js';
import { accountToShow } from '../session/last-account.js';
import { Front } from './front.js';
import { NotFoundAlone } from './not-found.js';
import { Shell } from './shell.js';

/** Nobody but those who are signed in; others come back here after they have signed in. */
async function session({ location }: { location: { publicHref: string } }): Promise<{ session: Session }> {
  const found = await queryClient.ensureQueryData(sessionQuery);
  if (!found) throw redirect({ to: '/sign-in', search: { to: location.publicHref } });
  return { session: found };
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundAlone,
  validateSearch: (search: Record<string, unknown>) => search as SearchParams,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.js'), 'SignInPage'),
});

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', beforeLoad: session, component: Shell });

const front = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    const accountId = accountToShow(context.session.accounts);
    if (accountId) throw redirect({ to: '/a/$accountId/overview', params: { accountId } });
  },
  component: Front,
});

const me = createRoute({
  getParentRoute: () => signedIn,
  path: '/me',
  component: lazyRouteComponent(() => import('../pages/me/me-page.js'), 'MePage'),
});

const account = createRoute({ getParentRoute: () => signedIn, path: '/a/$accountId' });
const ofAccount = () => account;

const overview = createRoute({
  getParentRoute: ofAccount,
  path: 'overview',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.js'), 'OverviewPage'),
});

const messages = createRoute({
  getParentRoute: ofAccount,
  path: 'messages',
  component: lazyRouteComponent(() => import('../pages/messages/messages-page.js'), 'MessagesPage'),
});

const message = createRoute({
  getParentRoute: ofAccount,
  path: 'messages/$messageId',
  component: lazyRouteComponent(() => import('../pages/messages/message-page.js'), 'MessagePage'),
});

const inbox = createRoute({
  getParentRoute: ofAccount,
  path: 'inbox',
  component: lazyRouteComponent(() => import('../pages/inbox/inbox-page.js'), 'InboxPage'),
});

const conversation = createRoute({
  getParentRoute: ofAccount,
  path: 'inbox/$conversationId',
  component: lazyRouteComponent(() => import('../pages/inbox/inbox-page.js'), 'InboxPage'),
});

const contacts = createRoute({
  getParentRoute: ofAccount,
  path: 'contacts',
  component: lazyRouteComponent(() => import('../pages/contacts/contacts-page.js'), 'ContactsPage'),
});

const groups = createRoute({
  getParentRoute: ofAccount,
  path: 'groups',
  component: lazyRouteComponent(() => import('../pages/groups/groups-page.js'), 'GroupsPage'),
});

const imports = createRoute({
  getParentRoute: ofAccount,
  path: 'imports',
  component: lazyRouteComponent(() => import('../pages/imports/imports-page.js'), 'ImportsPage'),
});

const templates = createRoute({
  getParentRoute: ofAccount,
  path: 'templates',
  component: lazyRouteComponent(() => import('../pages/templates/templates-page.js'), 'TemplatesPage'),
});

const campaigns = createRoute({
  getParentRoute: ofAccount,
  path: 'campaigns',
  component: lazyRouteComponent(() => import('../pages/campaigns/campaigns-page.js'), 'CampaignsPage'),
});

const campaign = createRoute({
  getParentRoute: ofAccount,
  path: 'campaigns/$campaignId',
  component: lazyRouteComponent(() => import('../pages/campaigns/campaign-page.js'), 'CampaignPage'),
});

const automations = createRoute({
  getParentRoute: ofAccount,
  path: 'automations',
  component: lazyRouteComponent(() => import('../pages/automations/automations-page.js'), 'AutomationsPage'),
});

const automation = createRoute({
  getParentRoute: ofAccount,
  path: 'automations/$automationId',
  component: lazyRouteComponent(() => import('../pages/automations/automation-page.js'), 'AutomationPage'),
});

const webhooks = createRoute({
  getParentRoute: ofAccount,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.js'), 'WebhooksPage'),
});

const signInCodes = createRoute({
  getParentRoute: ofAccount,
  path: 'developers/sign-in-codes',
  component: lazyRouteComponent(() => import('../pages/sign-in-codes/sign-in-codes-page.js'), 'SignInCodesPage'),
});

const webhook = createRoute({
  getParentRoute: ofAccount,
  path: 'webhooks/$webhookId',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.js'), 'WebhookPage'),
});

const optOuts = createRoute({
  getParentRoute: ofAccount,
  path: 'opt-outs',
  component: lazyRouteComponent(() => import('../pages/opt-outs/opt-outs-page.js'), 'OptOutsPage'),
});

const apps = createRoute({
  getParentRoute: ofAccount,
  path: 'developers/apps',
  component: lazyRouteComponent(() => import('../pages/apps/apps-page.js'), 'AppsPage'),
});

const playground = createRoute({
  getParentRoute: ofAccount,
  path: 'developers/playground',
  component: lazyRouteComponent(() => import('../pages/playground/playground-page.js'), 'PlaygroundPage'),
});

const apiKeys = createRoute({
  getParentRoute: ofAccount,
  path: 'settings/api',
  component: lazyRouteComponent(() => import('../pages/api-keys/api-keys-page.js'), 'ApiKeysPage'),
});

const accountSettings = createRoute({
  getParentRoute: ofAccount,
  path: 'settings',
  component: lazyRouteComponent(
    () => import('../pages/account-settings/account-settings-page.js'),
    'AccountSettingsPage',
  ),
});

const members = createRoute({
  getParentRoute: ofAccount,
  path: 'operators',
  component: lazyRouteComponent(() => import('../pages/operators/members-page.js'), 'MembersPage'),
});

const accountAudit = createRoute({
  getParentRoute: ofAccount,
  path: 'audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.js'), 'AccountAuditPage'),
});

const installation = createRoute({ getParentRoute: () => signedIn, path: '/installation' });
const ofInstallation = () => installation;

const installationOverview = createRoute({
  getParentRoute: ofInstallation,
  path: 'overview',
  component: lazyRouteComponent(
    () => import('../pages/overview/installation-overview-page.js'),
    'InstallationOverviewPage',
  ),
});

const carriers = createRoute({
  getParentRoute: ofInstallation,
  path: 'carriers',
  component: lazyRouteComponent(() => import('../pages/carriers/carriers-page.js'), 'CarriersPage'),
});

const carrierCalls = createRoute({
  getParentRoute: ofInstallation,
  path: 'carriers/$name/calls',
  component: lazyRouteComponent(() => import('../pages/carriers/carrier-calls-page.js'), 'CarrierCallsPage'),
});

const keptReports = createRoute({
  getParentRoute: ofInstallation,
  path: 'carriers/$name/reports',
  component: lazyRouteComponent(() => import('../pages/carriers/kept-reports-page.js'), 'KeptReportsPage'),
});

const carrierRoutes = createRoute({
  getParentRoute: ofInstallation,
  path: 'routes',
  component: lazyRouteComponent(() => import('../pages/routes/routes-page.js'), 'RoutesPage'),
});

const accounts = createRoute({
  getParentRoute: ofInstallation,
  path: 'accounts',
  component: lazyRouteComponent(() => import('../pages/accounts/accounts-page.js'), 'AccountsPage'),
});

const rates = createRoute({
  getParentRoute: ofInstallation,
  path: 'rates',
  component: lazyRouteComponent(() => import('../pages/rates/rates-page.js'), 'RatesPage'),
});

const operators = createRoute({
  getParentRoute: ofInstallation,
  path: 'operators',
  component: lazyRouteComponent(() => import('../pages/operators/operators-page.js'), 'OperatorsPage'),
});

const audit = createRoute({
  getParentRoute: ofInstallation,
  path: 'audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.js'), 'AuditPage'),
});

/** Every address of the console; each page is a file of its own, fetched when it is first opened. */
export const routes = root.addChildren([
  signIn,
  signedIn.addChildren([
    front,
    me,
    account.addChildren([
      overview,
      messages,
      message,
      inbox,
      conversation,
      contacts,
      groups,
      imports,
      templates,
      campaigns,
      campaign,
      automations,
      automation,
      webhooks,
      webhook,
      signInCodes,
      optOuts,
      apps,
      playground,
      apiKeys,
      accountSettings,
      members,
      accountAudit,
    ]),
    installation.addChildren([
      installationOverview,
      carriers,
      carrierCalls,
      keptReports,
      carrierRoutes,
      accounts,
      rates,
      operators,
      audit,
    ]),
  ]),
]);
