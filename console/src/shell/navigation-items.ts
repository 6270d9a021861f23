import type { LinkProps } from '@tanstack/react-router';
import { text } from '../text/en.js';
import type { IconName } from '../ui/basics/icons.js';

export interface NavigationItem {
  label: string;
  icon: IconName;
  to: NonNullable<LinkProps['to']>;
}

export interface NavigationGroup {
  label: string | null;
  items: readonly NavigationItem[];
}

const { navigation } = text;

const page = (label: string, icon: IconName, to: NavigationItem['to']): NavigationItem => ({ label, icon, to });

export const ACCOUNT_PAGES: readonly NavigationGroup[] = [
  {
    label: null,
    items: [
      page(navigation.overview, 'chart', '/a/$accountId/overview'),
      page(navigation.messages, 'message', '/a/$accountId/messages'),
      page(navigation.inbox, 'inbox', '/a/$accountId/inbox'),
    ],
  },
  {
    label: navigation.people,
    items: [
      page(navigation.contacts, 'user', '/a/$accountId/contacts'),
      page(navigation.groups, 'users', '/a/$accountId/groups'),
      page(navigation.audiences, 'users', '/a/$accountId/audiences'),
      page(navigation.imports, 'upload', '/a/$accountId/imports'),
      page(navigation.optOuts, 'ban', '/a/$accountId/opt-outs'),
    ],
  },
  {
    label: navigation.outreach,
    items: [
      page(navigation.templates, 'template', '/a/$accountId/templates'),
      page(navigation.campaigns, 'megaphone', '/a/$accountId/campaigns'),
      page(navigation.automations, 'flow', '/a/$accountId/automations'),
    ],
  },
  {
    label: navigation.developers,
    items: [
      page(navigation.apps, 'key', '/a/$accountId/developers/apps'),
      page(navigation.playground, 'play', '/a/$accountId/developers/playground'),
      page(navigation.webhooks, 'webhook', '/a/$accountId/webhooks'),
      page(navigation.signInCodes, 'key', '/a/$accountId/developers/sign-in-codes'),
    ],
  },
  {
    label: navigation.settings,
    items: [
      page(navigation.api, 'key', '/a/$accountId/settings/api'),
      page(navigation.account, 'settings', '/a/$accountId/settings'),
      page(navigation.operators, 'users', '/a/$accountId/operators'),
      page(navigation.audit, 'list', '/a/$accountId/audit'),
    ],
  },
];

export const INSTALLATION_PAGES: NavigationGroup = {
  label: navigation.installation,
  items: [
    page(navigation.overview, 'chart', '/installation/overview'),
    page(navigation.carriers, 'tower', '/installation/carriers'),
    page(navigation.routes, 'route', '/installation/routes'),
    page(navigation.accounts, 'building', '/installation/accounts'),
    page(navigation.rates, 'coins', '/installation/rates'),
    page(navigation.operators, 'users', '/installation/operators'),
    page(navigation.audit, 'list', '/installation/audit'),
  ],
};
