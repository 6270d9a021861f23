import { attention } from './en/attention.js';
import { audiences } from './en/audiences.js';
import { automations } from './en/automations.js';
import { campaignActions } from './en/campaign-actions.js';
import { campaignResults } from './en/campaign-results.js';
import { campaignVariants } from './en/campaign-variants.js';
import { campaigns } from './en/campaigns.js';
import { consent } from './en/consent.js';
import { contactFields } from './en/contact-fields.js';
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
import { shortLinks } from './en/short-links.js';
import { signInCodes } from './en/sign-in-codes.js';
import { templates } from './en/templates.js';
import { webhooks } from './en/webhooks.js';

/** A translation into another language would be a file with the same keys. */
export const text = {
  common: {
    actions: 'Actions',
    cancel: 'Cancel',
    versionConflict: {
      title: 'Someone else has saved changes',
      lead: 'Your changes are still here but not saved. Load the current version to discard them, or keep them and overwrite the other changes when you save.',
      load: 'Load current version',
      keep: 'Keep my changes',
    },
    clear: 'Clear',
    close: 'Close',
    copied: 'Copied',
    copy: 'Copy',
    copyFailed: 'Copy it manually',
    copyOf: (label: string) => `Copy ${label}`,
    create: 'Create',
    delete: 'Delete',
    done: 'Done',
    edit: 'Edit',
    firstPage: 'First',
    inAll: (count: string) => `${count} in total`,
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
    /** Turns a rule in a server error, such as `must not be empty`, into a sentence to show below the field. */
    toSentence: (rule: string) => {
      const sentence = /^(?:must|is|are|has|cannot|would|names)\b/.test(rule) ? `This ${rule}` : rule;
      return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
    },
    forbidden: 'Your role does not allow this',
    notFound: 'Not found',
    page: 'This page has crashed',
    pageHint:
      'This is an error in the console. Reload the page. If it happens again, report it with the steps that led here.',
    refused: 'The request was refused',
    server: 'Server error',
    unreachable: 'The server does not respond',
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
  ...contactFields,
  ...shortLinks,
  ...people,
  templates,
  campaignResults,
  campaignActions,
  campaignVariants,
  campaigns,
  consent,
  channels: {
    smsOnly: 'This channel supports only SMS',
    smsOnlyHint: 'Choose a WhatsApp channel above.',
  },
  attention,
  audiences,
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
