import { readFrequencyCap } from '../../accounts/frequency-cap.js';
import type { AcceptingTransaction } from '../../messages/accept/accept-within.js';
import { createCapError } from '../../messages/accept/guard/cap-book.js';
import { describeSettings } from '../../messages/accept/guard/destinations.js';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import { AppError } from '../../platform/errors/app-error.js';
import { addMember, removeMember } from '../contacts/groups/members.js';
import { type CommitOptions, commitToContacts } from '../conversations/sending/commit-to-contacts.js';
import {
  type ComposedMessage,
  composeReply,
  fillTemplate,
  findSendableTemplate,
  needsNumber,
  type ReplyOptions,
  type TemplateOptions,
} from '../conversations/sending/compose.js';
import { fillComponents, fillText } from '../placeholders/placeholders.js';
import type { OwnedRun } from './run-store.js';
import type { Step } from './steps.js';

export type PerformOptions = TemplateOptions & ReplyOptions & CommitOptions;

/** Performs a step in the transaction that advances the run, and resolves to the accepted message, if any. */
export type StepAction = (transaction: AcceptingTransaction) => Promise<PendingRequest | null>;

/**
 * @throws {AppError} WINDOW_EXPIRED, among others. Performing the step may also throw INSUFFICIENT_BALANCE, NOT_FOUND,
 * DESTINATION_REFUSED, LIMIT_REACHED and FREQUENCY_CAP.
 * @throws {MissingVariable}
 */
export async function prepareStep(options: PerformOptions, run: OwnedRun, step: Step): Promise<StepAction> {
  const { contact, sender, variables } = run;
  const values = { contact, variables };
  switch (step.type) {
    case 'send_template': {
      const { templateName, language } = step;
      const components = fillComponents(step.components, values);
      const template = await findSendableTemplate(options, sender, { templateName, language });
      if (needsNumber(template) && contact.phone === null) {
        throw new AppError(
          'INVALID_REQUEST',
          'The contact has no phone number. Meta sends codes to phone numbers only.',
        );
      }
      return createSendAction(options, run, fillTemplate(template, components));
    }
    case 'send_reply':
      return createSendAction(
        options,
        run,
        await composeReply(options, sender, { contactId: contact.id, message: fillText(step.message, values) }),
      );
    case 'add_to_group':
    case 'remove_from_group': {
      const change = step.type === 'add_to_group' ? addMember : removeMember;
      return async ({ client }) => {
        await change(
          client,
          { channelId: sender.channel.id, groupId: step.groupId, contactId: contact.id },
          options.clock.now(),
        );
        return null;
      };
    }
    case 'wait':
      return async () => null;
  }
}

function createSendAction(
  options: PerformOptions,
  { sender, contact }: OwnedRun,
  { body, content, purpose }: ComposedMessage,
): StepAction {
  return async (transaction) => {
    const committed = await commitToContacts(
      options,
      transaction,
      sender,
      { body, content, purpose },
      [contact.id],
      {},
    );
    if (!committed)
      throw new AppError('INSUFFICIENT_BALANCE', 'The balance of the account was too low for the message.');
    if (committed.refused > 0) {
      const { id } = sender.account;
      const message =
        'The spending guard of the account refused the message: its country is not allowed, or the recipient reached a limit. ' +
        describeSettings([`heliograph guard set ${id} --allow`, `heliograph guard set ${id} --limit`]);
      throw new AppError('DESTINATION_REFUSED', message);
    }
    const cap = readFrequencyCap(sender.account.frequencyCap);
    if (cap && committed.capped > 0) throw createCapError(cap, [contact.phone ?? contact.id]);
    return committed.pending[0] ?? null;
  };
}
