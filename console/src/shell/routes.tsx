import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/client/query-client.js';
import { type Session, sessionQuery } from '../api/session.js';
import type { SearchParams } from '../browser/search.js';
import { selectAccount } from '../session/last-account.js';
import { NoAccountPage } from './no-account-page.js';
import { NotFoundPage } from './not-found.js';
import { Shell } from './shell.js';

async function requireSession({ location }: { location: { publicHref: string } }): Promise<{ session: Session }> {
  const current = await queryClient.ensureQueryData(sessionQuery);
  if (!current) throw redirect({ to: '/sign-in', search: { to: location.publicHref } });
  return { session: current };
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  validateSearch: (search: Record<string, unknown>) => search as SearchParams,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.js'), 'SignInPage'),
});

const signedInRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: Shell,
});

const noAccountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: ({ context }) => {
    const accountId = selectAccount(context.session.accounts);
    if (accountId) throw redirect({ to: '/a/$accountId/overview', params: { accountId } });
  },
  component: NoAccountPage,
});

const me = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/me',
  component: lazyRouteComponent(() => import('../pages/me/me-page.js'), 'MePage'),
});

const account = createRoute({ getParentRoute: () => signedInRoute, path: '/a/$accountId' });
const getAccountRoute = () => account;

const overview = createRoute({
  getParentRoute: getAccountRoute,
  path: 'overview',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.js'), 'OverviewPage'),
});

const messages = createRoute({
  getParentRoute: getAccountRoute,
  path: 'messages',
  component: lazyRouteComponent(() => import('../pages/messages/messages-page.js'), 'MessagesPage'),
});

const message = createRoute({
  getParentRoute: getAccountRoute,
  path: 'messages/$messageId',
  component: lazyRouteComponent(() => import('../pages/messages/message-page.js'), 'MessagePage'),
});

const inbox = createRoute({
  getParentRoute: getAccountRoute,
  path: 'inbox',
  component: lazyRouteComponent(() => import('../pages/inbox/inbox-page.js'), 'InboxPage'),
});

const conversation = createRoute({
  getParentRoute: getAccountRoute,
  path: 'inbox/$conversationId',
  component: lazyRouteComponent(() => import('../pages/inbox/inbox-page.js'), 'InboxPage'),
});

const contacts = createRoute({
  getParentRoute: getAccountRoute,
  path: 'contacts',
  component: lazyRouteComponent(() => import('../pages/contacts/contacts-page.js'), 'ContactsPage'),
});

const groups = createRoute({
  getParentRoute: getAccountRoute,
  path: 'groups',
  component: lazyRouteComponent(() => import('../pages/groups/groups-page.js'), 'GroupsPage'),
});

const audiences = createRoute({
  getParentRoute: getAccountRoute,
  path: 'audiences',
  component: lazyRouteComponent(() => import('../pages/audiences/audiences-page.js'), 'AudiencesPage'),
});

const audience = createRoute({
  getParentRoute: getAccountRoute,
  path: 'audiences/$audienceId',
  component: lazyRouteComponent(() => import('../pages/audiences/audience-page.js'), 'AudiencePage'),
});

const imports = createRoute({
  getParentRoute: getAccountRoute,
  path: 'imports',
  component: lazyRouteComponent(() => import('../pages/imports/imports-page.js'), 'ImportsPage'),
});

const templates = createRoute({
  getParentRoute: getAccountRoute,
  path: 'templates',
  component: lazyRouteComponent(() => import('../pages/templates/templates-page.js'), 'TemplatesPage'),
});

const campaigns = createRoute({
  getParentRoute: getAccountRoute,
  path: 'campaigns',
  component: lazyRouteComponent(() => import('../pages/campaigns/campaigns-page.js'), 'CampaignsPage'),
});

const campaign = createRoute({
  getParentRoute: getAccountRoute,
  path: 'campaigns/$campaignId',
  component: lazyRouteComponent(() => import('../pages/campaigns/campaign-page.js'), 'CampaignPage'),
});

const automations = createRoute({
  getParentRoute: getAccountRoute,
  path: 'automations',
  component: lazyRouteComponent(() => import('../pages/automations/automations-page.js'), 'AutomationsPage'),
});

const automation = createRoute({
  getParentRoute: getAccountRoute,
  path: 'automations/$automationId',
  component: lazyRouteComponent(() => import('../pages/automations/automation-page.js'), 'AutomationPage'),
});

const webhooks = createRoute({
  getParentRoute: getAccountRoute,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.js'), 'WebhooksPage'),
});

const signInCodes = createRoute({
  getParentRoute: getAccountRoute,
  path: 'developers/sign-in-codes',
  component: lazyRouteComponent(() => import('../pages/sign-in-codes/sign-in-codes-page.js'), 'SignInCodesPage'),
});

const webhook = createRoute({
  getParentRoute: getAccountRoute,
  path: 'webhooks/$webhookId',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.js'), 'WebhookPage'),
});

const optOuts = createRoute({
  getParentRoute: getAccountRoute,
  path: 'opt-outs',
  component: lazyRouteComponent(() => import('../pages/opt-outs/opt-outs-page.js'), 'OptOutsPage'),
});

const apps = createRoute({
  getParentRoute: getAccountRoute,
  path: 'developers/apps',
  component: lazyRouteComponent(() => import('../pages/apps/apps-page.js'), 'AppsPage'),
});

const playground = createRoute({
  getParentRoute: getAccountRoute,
  path: 'developers/playground',
  component: lazyRouteComponent(() => import('../pages/playground/playground-page.js'), 'PlaygroundPage'),
});

const apiKeys = createRoute({
  getParentRoute: getAccountRoute,
  path: 'settings/api',
  component: lazyRouteComponent(() => import('../pages/api-keys/api-keys-page.js'), 'ApiKeysPage'),
});

const accountSettings = createRoute({
  getParentRoute: getAccountRoute,
  path: 'settings',
  component: lazyRouteComponent(
    () => import('../pages/account-settings/account-settings-page.js'),
    'AccountSettingsPage',
  ),
});

const members = createRoute({
  getParentRoute: getAccountRoute,
  path: 'operators',
  component: lazyRouteComponent(() => import('../pages/operators/members-page.js'), 'MembersPage'),
});

const accountAudit = createRoute({
  getParentRoute: getAccountRoute,
  path: 'audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.js'), 'AccountAuditPage'),
});

const installation = createRoute({ getParentRoute: () => signedInRoute, path: '/installation' });
const getInstallationRoute = () => installation;

const installationOverview = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'overview',
  component: lazyRouteComponent(
    () => import('../pages/overview/installation-overview-page.js'),
    'InstallationOverviewPage',
  ),
});

const carriers = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'carriers',
  component: lazyRouteComponent(() => import('../pages/carriers/carriers-page.js'), 'CarriersPage'),
});

const carrierCalls = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'carriers/$name/calls',
  component: lazyRouteComponent(() => import('../pages/carriers/carrier-calls-page.js'), 'CarrierCallsPage'),
});

const keptReports = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'carriers/$name/reports',
  component: lazyRouteComponent(() => import('../pages/carriers/unmatched-reports-page.js'), 'KeptReportsPage'),
});

const carrierRoutes = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'routes',
  component: lazyRouteComponent(() => import('../pages/routes/routes-page.js'), 'RoutesPage'),
});

const accounts = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'accounts',
  component: lazyRouteComponent(() => import('../pages/accounts/accounts-page.js'), 'AccountsPage'),
});

const rates = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'rates',
  component: lazyRouteComponent(() => import('../pages/rates/rates-page.js'), 'RatesPage'),
});

const operators = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'operators',
  component: lazyRouteComponent(() => import('../pages/operators/operators-page.js'), 'OperatorsPage'),
});

const audit = createRoute({
  getParentRoute: getInstallationRoute,
  path: 'audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.js'), 'AuditPage'),
});

/** The code of each page is a separate bundle, which is fetched when the page is first opened. */
export const routes = root.addChildren([
  signIn,
  signedInRoute.addChildren([
    noAccountRoute,
    me,
    account.addChildren([
      overview,
      messages,
      message,
      inbox,
      conversation,
      contacts,
      groups,
      audiences,
      audience,
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
