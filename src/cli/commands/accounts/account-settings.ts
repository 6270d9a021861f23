import type { Command } from 'commander';
import {
  setDefaultCountry,
  setLowBalance,
  setRateCard,
  setSenderIds,
  switchAccount,
} from '../../../accounts/account-settings.js';
import { lockedAccount, requireAccount } from '../../../accounts/accounts.js';
import { type ChangeStore, changing } from '../../../accounts/audit/change.js';
import { changeOf } from '../../../accounts/audit/change-of.js';
import { formatMoney, parseMoney } from '../../../accounts/money.js';
import { cancelWaitingStep } from '../../../features/cancel-waiting/cancel.js';
import type { Account, Prisma } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor, withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { counted } from '../../doctor/amounts.js';
import { print } from '../../output.js';
import { withStore } from '../../store.js';

/** `heliograph account enable|disable|low-balance|default-country|senders|rate-card|cancel-waiting …` */
export function addAccountSettingCommands(account: Command, context: CliContext): void {
  /** Runs a command that changes an account, whose line of the audit log tells what it was before. */
  async function withAccount<T>(
    accountId: string,
    action: 'account.change' | 'account.lowBalance',
    work: (prisma: Prisma.TransactionClient) => Promise<T>,
  ): Promise<T> {
    const { made } = await withChange(
      context,
      async (prisma) => {
        const was = settingsOf(await lockedAccount(prisma, accountId));
        const made = await work(prisma);
        return { was, made, now: settingsOf(await requireAccount(prisma, accountId)) };
      },
      ({ was, now }) => {
        const line = changeOf(action, accountId, was, now);
        return line && { ...line, accountId };
      },
    );
    return made;
  }

  for (const [act, isActive, description] of [
    [
      'disable',
      false,
      'switch an account off: its keys are refused within two seconds, its campaigns and automations wait',
    ],
    ['enable', true, 'switch an account on again'],
  ] as const) {
    account
      .command(act)
      .description(description)
      .argument('<account-id>')
      .action(async (accountId: string, _options: object, command: Command) => {
        await withAccount(accountId, 'account.change', (prisma) => switchAccount(prisma, accountId, isActive));
        print(
          context,
          command,
          { accountId, isActive },
          `Account ${accountId} is switched ${isActive ? 'on' : 'off'}.`,
        );
      });
  }

  account
    .command('low-balance')
    .description("tell the account's webhooks when its balance falls below an amount")
    .argument('<account-id>')
    .argument('<amount>', "in the account's currency, such as 12.34; off ends it")
    .action(async (accountId: string, amount: string, _options: object, command: Command) => {
      const micros = amount === 'off' ? null : parseMoney(amount);
      const lowBalance = shown(micros);
      const { currency } = await withAccount(accountId, 'account.lowBalance', (prisma) =>
        setLowBalance(prisma, accountId, micros),
      );
      const said =
        lowBalance === null ? 'of no balance any more' : `when the balance falls below ${lowBalance} ${currency}`;
      print(context, command, { accountId, lowBalance, currency }, `The webhooks of the account are told ${said}.`);
    });

  account
    .command('default-country')
    .description("set the country by whose numbering plan Surface A reads the account's recipients")
    .argument('<account-id>')
    .argument('<country>', 'ISO 3166 code, such as DE; off: recipients are written with their country code')
    .action(async (accountId: string, written: string, _options: object, command: Command) => {
      const defaultCountry = written === 'off' ? null : written.toUpperCase();
      await withAccount(accountId, 'account.change', (prisma) => setDefaultCountry(prisma, accountId, defaultCountry));
      const result =
        defaultCountry === null ? 'must have their country code' : `are read as numbers of ${defaultCountry}`;
      print(context, command, { accountId, defaultCountry }, `Recipients that Surface A is sent ${result}.`);
    });

  account
    .command('senders')
    .description('set which sender IDs the SMS of an account may have; without any: all')
    .argument('<account-id>')
    .argument('[sender...]')
    .action(async (accountId: string, senders: string[], _options: object, command: Command) => {
      await withAccount(accountId, 'account.change', (prisma) => setSenderIds(prisma, accountId, senders));
      const said = senders.length === 0 ? 'any sender ID' : `the sender IDs ${senders.join(', ')} alone`;
      print(context, command, { accountId, senders }, `SMS of the account may have ${said}.`);
    });

  account
    .command('rate-card')
    .description('let an account go by another rate card in its currency; running servers do so some seconds later')
    .argument('<account-id>')
    .argument('<id>', 'of the rate card')
    .action(async (accountId: string, rateCard: string, _options: object, command: Command) => {
      await withAccount(accountId, 'account.change', (prisma) => setRateCard(prisma, accountId, rateCard));
      print(context, command, { accountId, rateCard }, `The account goes by the rate card ${rateCard}.`);
    });

  account
    .command('cancel-waiting')
    .description('cancel and refund all that an account has waiting and scheduled, and its campaigns')
    .argument('<account-id>')
    .action(async (accountId: string, _options: object, command: Command) => {
      const all = await withStore(context, (prisma, _pool, held) => cancelWaiting({ prisma, held }, accountId));
      const { messages, campaigns, refunded, currency } = all;
      const said = `${counted(messages, 'message')} and ${counted(campaigns, 'campaign')} were canceled`;
      print(context, command, { accountId, ...all }, `${said}, and ${refunded} ${currency} given back.`);
    });
}

/** Cancels step by step, each with its line of the audit log, until nothing waits that did when it began. */
async function cancelWaiting(store: ChangeStore, accountId: string) {
  const until = systemClock.now();
  const all = { messages: 0, campaigns: 0, refunded: 0n, currency: '' };
  for (;;) {
    const step = await changing(store, { actor: cliActor(), accountId }, (change) =>
      cancelWaitingStep(change, accountId, until),
    );
    all.messages += step.messages;
    all.campaigns += step.campaigns.length;
    all.refunded += parseMoney(step.refunded);
    all.currency = step.currency;
    if (!step.hasMore) return { ...all, refunded: formatMoney(all.refunded) };
  }
}

/** What these commands set of an account. */
function settingsOf({ isActive, senderIds, defaultCountry, lowBalanceMicros, rateCardId: rateCard }: Account) {
  return { isActive, senderIds, defaultCountry, lowBalance: shown(lowBalanceMicros), rateCard };
}

function shown(micros: bigint | null): string | null {
  return micros === null ? null : formatMoney(micros);
}
