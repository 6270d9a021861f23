import type pg from 'pg';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { type PersonIds, toAddresses } from '../../../carriers/numbers/user-ids.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import { decidePurpose } from '../../../messages/compose/purpose.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { OPTED_OUT_MESSAGE, toOptOutSender } from '../../../messages/send/checks/opted-out.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { createParties, createPartyLookup, type SendTarget } from '../../conversations/parties.js';
import { NotAccepted, toRefusedOutcome } from '../../conversations/sending/commit-with-parties.js';
import {
  type ChannelSender,
  composeReply,
  composeTemplateSend,
  maxTextLength,
  requireReachable,
  type TemplateChoice,
  type TemplateSendOptions,
  toChannelRequest,
} from '../../conversations/sending/compose.js';
import { readReplyRow } from '../../keyword-replies/reply-store.js';
import { readAccountReplies, readChannelReplies } from '../../keyword-replies/settings.js';
import { addFurtherNumbers } from '../../opt-outs/further-numbers-store.js';
import { toKeyword } from '../../opt-outs/keywords.js';
import type { ConsentEvidence, ConsentPurpose, ConsentScope } from '../../opt-outs/ledger/ledger-store.js';
import { readActiveOptOut } from '../consent-opt-outs.js';
import { findLastRequest, insertConsentRequest } from './request-store.js';
import { buildRequestText } from './texts.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** At most one request per person and sender in this time, so that nobody is asked again and again. */
const PAUSE_DAYS = 30;

export interface RequestedConsent extends ConsentEvidence {
  purpose: ConsentPurpose;
  /** Label of the template's button that confirms, in addition to the words for yes. */
  buttonLabel?: string;
}

export interface RequestMessage {
  target: SendTarget;
  /** Language of the default text, or of the template. */
  language?: string;
  /** Default: a text in the language. Not with a template. */
  message?: string;
  template?: Omit<TemplateChoice, 'language'>;
}

export interface ComposeOptions {
  idempotency: IdempotencyKey | null;
  createPartyOnCommit: boolean;
}

/**
 * Composes the message. On WhatsApp, a text can only be sent within 24 hours of the person's last message.
 * @throws {AppError} any error of `composeReply` and `composeTemplateSend`, or INVALID_REQUEST for a text that is empty or too
 * long, and for a template on an SMS channel
 */
export async function composeConsentRequest(
  options: TemplateSendOptions,
  sender: ChannelSender,
  { target, language, message, template }: RequestMessage,
  { purpose, buttonLabel }: RequestedConsent,
  sendOptions: ComposeOptions,
): Promise<SendRequest> {
  if (buttonLabel !== undefined && toKeyword(buttonLabel) === null)
    throw invalidField('buttonLabel', 'must have at least one letter or digit');
  if (template) {
    if (message !== undefined) throw invalidField('message', 'must not be sent together with templateName');
    if (language === undefined) throw invalidField('language', 'is required with templateName');
    return composeTemplateSend(options, sender, { ...target, ...template, language, purpose }, sendOptions);
  }
  const text = message ?? (await readDefaultText(options.pool, sender.channel.id, purpose, language));
  if ((sender.channel.kind ?? 'whatsapp') === 'whatsapp')
    return composeReply(options, sender, { ...target, message: text, purpose }, sendOptions);
  requireReachable(options, sender, target);
  const limit = maxTextLength(sender.channel, options.smsMaxChars);
  if (isBlank(text) || isLongerThan(text, limit))
    throw invalidField('message', `must be a text of 1 to ${limit} characters, with at least one visible character`);
  const { address, party } = await createPartyLookup(options, sender).find(target);
  const content = { body: text, content: null, purpose: decidePurpose(purpose, null) };
  return toChannelRequest(sender, content, [{ digits: address, plus: false, ...party }], sendOptions);
}

/** The name and the language are those of replies to keywords. */
async function readDefaultText(
  pool: pg.Pool,
  channelId: string,
  purpose: ConsentPurpose,
  language: string | undefined,
): Promise<string> {
  const row = await readReplyRow(pool, channelId);
  const account = readAccountReplies(row?.accountReplies);
  const channel = readChannelReplies(row?.channelReplies);
  const name = channel.name ?? account.name ?? row?.accountName ?? '';
  return buildRequestText(language ?? channel.language ?? account.language, purpose, name);
}

/**
 * Commits the message together with the request. The account is locked, so two concurrent requests send one message.
 * Fails with OPTED_OUT if the person has opted out of the purpose, or CONFLICT if another request was sent within 30 days.
 */
export function createConsentRequestCommit(
  acceptor: Pick<Acceptor, 'acceptWithin'>,
  pool: pg.Pool,
  consent: RequestedConsent,
): Commit {
  return (prepared) => {
    const { account, kind, channelId, sender: phoneNumber } = prepared.request;
    const sender = toOptOutSender({ id: channelId ?? '', kind, phoneNumber });
    const scope: ConsentScope = { accountId: account.id, kind, sender };
    const plan = { listPayers: () => [account.id], faultPoint: 'consent-request:committed' };
    return acceptor
      .acceptWithin(pool, plan, async (transaction) => {
        const { client } = transaction;
        const request = await createParties(client, prepared.request, prepared.acceptedAt);
        const [recipient] = request.recipients;
        const address = recipient?.digits as string;
        const addresses = await listAddresses(client, scope, address, recipient?.contactId);
        await requireNoOptOut(client, scope, addresses, consent.purpose);
        await requireNoEarlierRequest(client, scope, addresses, prepared.acceptedAt);
        const [outcome = 'conflict'] = await transaction.commit([{ ...prepared, request }]);
        if (outcome !== 'accepted') throw new NotAccepted(outcome);
        await insertConsentRequest(client, scope, {
          ...{ ...consent, wording: consent.wording ?? request.body, address, requestedAt: prepared.acceptedAt },
          buttonLabel: consent.buttonLabel === undefined ? null : toKeyword(consent.buttonLabel),
          messageId: prepared.ids[0] as string,
        });
        return 'accepted' as const;
      })
      .catch(toRefusedOutcome);
  };
}

const READ_IDS: PlannedStatement = {
  text: 'SELECT phone, user_id AS "userId", parent_user_id AS "parentUserId" FROM contacts WHERE id = $1',
};

async function listAddresses(
  client: pg.PoolClient,
  { kind, sender }: ConsentScope,
  address: string,
  contactId: string | undefined,
): Promise<string[]> {
  if (kind === 'sms') return [address];
  const { rows } = await client.query<PersonIds>({ ...READ_IDS, values: [contactId ?? null] });
  return addFurtherNumbers(client, sender, [...new Set([address, ...rows.flatMap(toAddresses)])]);
}

async function requireNoOptOut(
  client: pg.PoolClient,
  scope: ConsentScope,
  addresses: readonly string[],
  purpose: ConsentPurpose,
): Promise<void> {
  const optOut = await readActiveOptOut(client, { ...scope, addresses });
  if (optOut === null || (optOut.scope === 'marketing' && purpose !== 'marketing')) return;
  throw new AppError('OPTED_OUT', `The request was not sent: ${OPTED_OUT_MESSAGE}`);
}

async function requireNoEarlierRequest(
  client: pg.PoolClient,
  scope: ConsentScope,
  addresses: readonly string[],
  now: Date,
): Promise<void> {
  const last = await findLastRequest(client, scope, addresses);
  if (last === null) return;
  const next = new Date(last.getTime() + PAUSE_DAYS * DAY_MS);
  if (next <= now) return;
  const rule = `a person gets at most one request from a sender in ${PAUSE_DAYS} days`;
  throw new AppError(
    'CONFLICT',
    `The person was asked on ${last.toISOString()}: ${rule}. The next request is possible on ${next.toISOString()}.`,
  );
}
