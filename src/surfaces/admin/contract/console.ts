import type { CHANNELS } from './account-settings/channels.js';
import type { GUARD } from './account-settings/guard.js';
import type { LEDGER } from './account-settings/ledger.js';
import type { LINKS } from './account-settings/links.js';
import type { SETTINGS } from './account-settings/settings.js';
import type { SIGN_IN } from './account-settings/sign-in.js';
import type { WAITING } from './account-settings/waiting.js';
import type { ACCOUNTS } from './accounts.js';
import type { AUDIT } from './audit.js';
import type { AUTOMATIONS } from './automations.js';
import type { CAMPAIGNS } from './campaigns.js';
import type { CONVERSATIONS } from './inbox/conversations.js';
import type { SENDS } from './inbox/sends.js';
import type { CARRIERS } from './installation/carriers.js';
import type { RATES } from './installation/rates.js';
import type { ROUTES } from './installation/routes.js';
import type { KEYS } from './keys.js';
import type { INBOUND } from './messages/inbound.js';
import type { MESSAGES } from './messages/messages.js';
import type { CONFIRM } from './operators/confirm.js';
import type { ME } from './operators/me.js';
import type { MEMBERS } from './operators/members.js';
import type { OIDC } from './operators/oidc.js';
import type { OPERATORS } from './operators/operators.js';
import type { OVERVIEW } from './overview.js';
import type { AUDIENCES } from './people/audiences.js';
import type { CONTACT_CONSENTS } from './people/consents.js';
import type { CONTACT_FIELDS } from './people/contact-fields.js';
import type { BULK_TAG, CONTACTS } from './people/contacts.js';
import type { GROUPS } from './people/groups.js';
import type { IMPORTS } from './people/imports.js';
import type { KEYWORD_REPLIES } from './people/keyword-replies.js';
import type { OPT_OUTS } from './people/opt-outs.js';
import type { SESSION } from './session.js';
import type { TEMPLATES } from './templates.js';
import type { WEBHOOKS } from './webhooks.js';

export type ConsoleContract = typeof CHANNELS &
  typeof GUARD &
  typeof LEDGER &
  typeof SETTINGS &
  typeof WAITING &
  typeof SIGN_IN &
  typeof ACCOUNTS &
  typeof AUDIT &
  typeof AUDIENCES &
  typeof AUTOMATIONS &
  typeof CAMPAIGNS &
  typeof CONVERSATIONS &
  typeof SENDS &
  typeof CARRIERS &
  typeof RATES &
  typeof ROUTES &
  typeof KEYS &
  typeof INBOUND &
  typeof MESSAGES &
  typeof CONFIRM &
  typeof ME &
  typeof MEMBERS &
  typeof OIDC &
  typeof OPERATORS &
  typeof OVERVIEW &
  typeof BULK_TAG &
  typeof CONTACTS &
  typeof CONTACT_CONSENTS &
  typeof CONTACT_FIELDS &
  typeof GROUPS &
  typeof IMPORTS &
  typeof KEYWORD_REPLIES &
  typeof LINKS &
  typeof OPT_OUTS &
  typeof SESSION &
  typeof TEMPLATES &
  typeof WEBHOOKS;
