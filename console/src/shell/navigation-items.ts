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

/** The pages of an account, as the navigation shows them. */
export const ACCOUNT_PAGES: readonly NavigationGroup[] = [
  {
    label: null,
    items: [
      { label: navigation.overview, icon: 'chart', to: '/a/$accountId/overview' },
      { label: navigation.messages, icon: 'message', to: '/a/$accountId/messages' },
      { label: navigation.inbox, icon: 'inbox', to: '/a/$accountId/inbox' },
    ],
  },
  {
    label: navigation.people,
    items: [
      { label: navigation.contacts, icon: 'user', to: '/a/$accountId/contacts' },
      { label: navigation.groups, icon: 'users', to: '/a/$accountId/groups' },
      { label: navigation.imports, icon: 'upload', to: '/a/$accountId/imports' },
      { label: navigation.optOuts, icon: 'ban', to: '/a/$accountId/opt-outs' },
    ],
  },
  {
    label: navigation.outreach,
    items: [
      { label: navigation.templates, icon: 'template', to: '/a/$accountId/templates' },
      { label: navigation.campaigns, icon: 'megaphone', to: '/a/$accountId/campaigns' },
      { label: navigation.automations, icon: 'flow', to: '/a/$accountId/automations' },
    ],
  },
  {
    label: navigation.developers,
    items: [
      { label: navigation.apps, icon: 'key', to: '/a/$accountId/developers/apps' },
      { label: navigation.playground, icon: 'play', to: '/a/$accountId/developers/playground' },
      { label: navigation.webhooks, icon: 'webhook', to: '/a/$accountId/webhooks' },
    ],
  },
  {
    label: navigation.settings,
    items: [
      { label: navigation.api, icon: 'key', to: '/a/$accountId/settings/api' },
      { label: navigation.account, icon: 'settings', to: '/a/$accountId/settings' },
      { label: navigation.operators, icon: 'users', to: '/a/$accountId/operators' },
      { label: navigation.audit, icon: 'list', to: '/a/$accountId/audit' },
    ],
  },
];

/** The pages of the installation, for operators who may see it. */
export const INSTALLATION_PAGES: NavigationGroup = {
  label: navigation.installation,
  items: [
    { label: navigation.overview, icon: 'chart', to: '/installation/overview' },
    { label: navigation.carriers, icon: 'tower', to: '/installation/carriers' },
    { label: navigation.routes, icon: 'route', to: '/installation/routes' },
    { label: navigation.accounts, icon: 'building', to: '/installation/accounts' },
    { label: navigation.rates, icon: 'coins', to: '/installation/rates' },
    { label: navigation.operators, icon: 'users', to: '/installation/operators' },
    { label: navigation.audit, icon: 'list', to: '/installation/audit' },
  ],
};
