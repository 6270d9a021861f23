import { attention } from './en/attention.js';
import { automations } from './en/automations.js';
import { campaigns } from './en/campaigns.js';
import { apiKeys, apps, cloudApi, playground } from './en/developer.js';
import { guard } from './en/guard.js';
import { inbox } from './en/inbox.js';
import { accountSettings, accounts } from './en/installation/accounts.js';
import { carriers } from './en/installation/carriers.js';
import { rates } from './en/installation/rates.js';
import { routes } from './en/installation/routes.js';
import { messages, status } from './en/messages.js';
import { oidc } from './en/operators/oidc.js';
import { audit, members, operators } from './en/operators/operators.js';
import { confirmation, me, noWayBack, signIn } from './en/operators/sign-in.js';
import { overview } from './en/overview.js';
import { people } from './en/people.js';
import { firstSteps, navigation, noCredit, shell } from './en/shell.js';
import { signInCodes } from './en/sign-in-codes.js';
import { templates } from './en/templates.js';
import { webhooks } from './en/webhooks.js';

/** Every text that the console shows, by page. A translation is a file like this one with the same names. */
export const text = {
  common: {
    actions: 'Actions',
    cancel: 'Cancel',
    changedMeanwhile: {
      title: 'Somebody else has saved meanwhile',
      lead: 'What you have typed is still here, and nothing of it is saved. Look at what is there now, which drops it; or keep it, and your next save replaces theirs.',
      load: 'Show what is there now',
      keep: 'Keep mine',
    },
    clear: 'Clear',
    close: 'Close',
    copied: 'Copied',
    copy: 'Copy',
    copyFailed: 'Select and copy by hand',
    copyOf: (what: string) => `Copy ${what}`,
    create: 'Create',
    delete: 'Delete',
    done: 'Done',
    edit: 'Edit',
    firstPage: 'First',
    inAll: (count: string) => `${count} in all`,
    loading: 'Loading',
    nextPage: 'Next',
    never: 'never',
    nothing: 'Nothing here yet',
    pages: 'Pages of the list',
    previousPage: 'Previous',
    refresh: 'Refresh',
    remove: 'Remove',
    retry: 'Try again',
    revoke: 'Revoke',
    revokeNamed: (name: string) => `Revoke ${name}`,
    save: 'Save',
    search: 'Search',
    showChart: 'Show chart',
    showTable: 'Show as table',
    typeToConfirm: (typed: string) => `Type “${typed}” to confirm`,
  },
  errors: {
    /** What the server says against a field, where no name of the field stands before it: `must not be empty`. */
    ofField: (rule: string) => {
      const sentence = /^(?:must|is|are|has|cannot|would|names)\b/.test(rule) ? `This ${rule}` : rule;
      return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
    },
    forbidden: 'Your role does not allow this',
    notFound: 'Not found',
    page: 'This page failed',
    pageHint: 'Something in the console itself went wrong. Reload the page; if it stays, report it with what you did.',
    refused: 'That did not work',
    server: 'The server failed',
    unreachable: 'The server does not answer',
    unreachableHint: 'Check that Heliograph is running and that you are connected, then try again.',
  },
  shell,
  navigation,
  status,
  confirmation,
  noWayBack,
  signIn,
  signInCodes,
  oidc,
  noCredit,
  firstSteps,
  overview,
  messages,
  inbox,
  ...people,
  templates,
  campaigns,
  channels: {
    smsOnly: 'This channel carries SMS only',
    smsOnlyHint: 'Choose a WhatsApp channel above.',
  },
  attention,
  automations,
  webhooks,
  apps,
  playground,
  apiKeys,
  cloudApi,
  accountSettings,
  guard,
  carriers,
  routes,
  accounts,
  rates,
  operators,
  members,
  audit,
  me,
};
