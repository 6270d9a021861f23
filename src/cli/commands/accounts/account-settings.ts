import { Argument, type Command, Option } from 'commander';
import {
  STOP_SCOPES,
  type StopScope,
  setAccountActive,
  setDefaultCountry,
  setLowBalanceThreshold,
  setRateCard,
  setSenderIds,
  setStopScope,
} from '../../../accounts/account-settings.js';
import { lockAccount, requireAccount } from '../../../accounts/accounts.js';
import { type ChangeStore, makeChange } from '../../../accounts/audit/change.js';
import { diffForAudit } from '../../../accounts/audit/diff.js';
import {
  describeCapSpan,
  type FrequencyCap,
  MAX_CAP_MESSAGES,
  readFrequencyCap,
  setFrequencyCap,
} from '../../../accounts/frequency-cap.js';
import { formatMoney, parseMoney } from '../../../accounts/money.js';
import { cancelWaitingStep } from '../../../features/cancel-waiting/cancel.js';
import {
  parseOwnRules,
  type QuietHours,
  readQuietHours,
  setQuietHours,
} from '../../../messages/quiet-hours/settings.js';
import type { Account, Prisma } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor, withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { formatCount } from '../../doctor/amounts.js';
import { print } from '../../output.js';
import { withStore } from '../../store.js';

export function addAccountSettingCommands(account: Command, context: CliContext): void {
  async function changeAccount<T>(
    accountId: string,
    action: 'account.change' | 'account.lowBalance',
    work: (prisma: Prisma.TransactionClient) => Promise<T>,
  ): Promise<T> {
    const { result } = await withChange(
      context,
      async (prisma) => {
        const before = readSettings(await lockAccount(prisma, accountId));
        const result = await work(prisma);
        return { before, result, after: readSettings(await requireAccount(prisma, accountId)) };
      },
      ({ before, after }) => {
        const line = diffForAudit(action, accountId, before, after);
        return line && { ...line, accountId };
      },
    );
    return result;
  }

  for (const [verb, isActive, description] of [
    [
      'disable',
      false,
      'disable an account: its keys stop working within two seconds, and its campaigns and automations pause',
    ],
    ['enable', true, 'enable an account again'],
  ] as const) {
    account
      .command(verb)
      .description(description)
      .argument('<account-id>')
      .action(async (accountId: string, _options: object, command: Command) => {
        await changeAccount(accountId, 'account.change', (prisma) => setAccountActive(prisma, accountId, isActive));
        print(
          context,
          command,
          { accountId, isActive },
          `Account ${accountId} is ${isActive ? 'enabled' : 'disabled'}.`,
        );
      });
  }

  account
    .command('low-balance')
    .description("notify the account's webhooks when its balance falls below an amount")
    .argument('<account-id>')
    .argument('<amount>', "in the account's currency, such as 12.34, or off")
    .action(async (accountId: string, amount: string, _options: object, command: Command) => {
      const micros = amount === 'off' ? null : parseMoney(amount);
      const lowBalance = formatOptional(micros);
      const { currency } = await changeAccount(accountId, 'account.lowBalance', (prisma) =>
        setLowBalanceThreshold(prisma, accountId, micros),
      );
      const text =
        lowBalance === null
          ? 'Low-balance notifications are off.'
          : `The account's webhooks are notified when the balance falls below ${lowBalance} ${currency}.`;
      print(context, command, { accountId, lowBalance, currency }, text);
    });

  account
    .command('default-country')
    .description('set the country for Surface A recipients without a country code')
    .argument('<account-id>')
    .argument('<country>', 'ISO 3166 code, such as DE; off: recipients must have a country code')
    .action(async (accountId: string, value: string, _options: object, command: Command) => {
      const defaultCountry = value === 'off' ? null : value.toUpperCase();
      await changeAccount(accountId, 'account.change', (prisma) =>
        setDefaultCountry(prisma, accountId, defaultCountry),
      );
      const text =
        defaultCountry === null
          ? 'Recipients on Surface A must have a country code.'
          : `Recipients on Surface A without a country code are read as numbers of ${defaultCountry}.`;
      print(context, command, { accountId, defaultCountry }, text);
    });

  account
    .command('stop-scope')
    .description('set what a later STOP blocks; existing opt-outs stay as they are')
    .argument('<account-id>')
    .addArgument(
      new Argument('<scope>', 'all: every message; marketing: only messages with this purpose').choices(STOP_SCOPES),
    )
    .action(async (accountId: string, stopScope: StopScope, _options: object, command: Command) => {
      await changeAccount(accountId, 'account.change', (prisma) => setStopScope(prisma, accountId, stopScope));
      const blocked = stopScope === 'all' ? 'all messages' : 'marketing only';
      print(context, command, { accountId, stopScope }, `A STOP blocks ${blocked}.`);
    });

  account
    .command('frequency-cap')
    .description('set the most marketing messages per phone number, over all channels of an account')
    .argument('<account-id>')
    .argument('<messages>', `1 to ${MAX_CAP_MESSAGES}; off: no cap`)
    .addOption(
      new Option('--days <days>', '1: in the last 24 hours; 7: in the last 7 days').choices(['1', '7']).default('1'),
    )
    .action(async (accountId: string, value: string, { days }: { days: '1' | '7' }, command: Command) => {
      const frequencyCap: FrequencyCap | null =
        value === 'off' ? null : { messages: Number(value), days: days === '1' ? 1 : 7 };
      await changeAccount(accountId, 'account.change', (prisma) => setFrequencyCap(prisma, accountId, frequencyCap));
      const text = frequencyCap
        ? `A phone number gets at most ${formatCount(frequencyCap.messages, 'marketing message')} in ${describeCapSpan(frequencyCap)}.`
        : 'Marketing messages are not capped.';
      print(context, command, { accountId, frequencyCap: frequencyCap && { ...frequencyCap } }, text);
    });

  account
    .command('quiet-hours')
    .description('set the hours in which an account sends marketing messages')
    .argument('<account-id>')
    .argument('<presets...>', 'IDs of presets, such as us fr; own: only your own rules; off: no quiet hours')
    .option('--rules <json>', 'your own rules, as a JSON array')
    .option('--include-transactional', 'also hold transactional messages', false)
    .action(
      async (
        accountId: string,
        presets: string[],
        { rules, includeTransactional }: { rules?: string; includeTransactional: boolean },
        command: Command,
      ) => {
        const isOff = presets.length === 1 && presets[0] === 'off';
        const quietHours: QuietHours | null = isOff
          ? null
          : {
              presets: presets.filter((id) => id !== 'own'),
              rules: rules === undefined ? [] : parseOwnRules(rules),
              includesTransactional: includeTransactional,
            };
        await changeAccount(accountId, 'account.change', (prisma) => setQuietHours(prisma, accountId, quietHours));
        const purposes = includeTransactional ? 'Marketing and transactional' : 'Marketing';
        const text = quietHours
          ? `${purposes} messages are held outside the hours of: ${describeQuietHours(quietHours)}.`
          : 'The account has no quiet hours.';
        const result = { accountId, quietHours: quietHours && describeQuietHours(quietHours), includeTransactional };
        print(context, command, result, text);
      },
    );

  account
    .command('senders')
    .description('set the sender IDs that an account may use for SMS; without any, all are allowed')
    .argument('<account-id>')
    .argument('[sender...]')
    .action(async (accountId: string, senders: string[], _options: object, command: Command) => {
      await changeAccount(accountId, 'account.change', (prisma) => setSenderIds(prisma, accountId, senders));
      const allowed = senders.length === 0 ? 'any sender ID' : `only the sender IDs ${senders.join(', ')}`;
      print(context, command, { accountId, senders }, `The account may use ${allowed} for SMS.`);
    });

  account
    .command('rate-card')
    .description('switch an account to another rate card in its currency; running servers follow within seconds')
    .argument('<account-id>')
    .argument('<id>', 'ID of the rate card')
    .action(async (accountId: string, rateCard: string, _options: object, command: Command) => {
      await changeAccount(accountId, 'account.change', (prisma) => setRateCard(prisma, accountId, rateCard));
      print(context, command, { accountId, rateCard }, `The account uses the rate card ${rateCard}.`);
    });

  account
    .command('cancel-waiting')
    .description('cancel and refund all queued and scheduled messages of an account, and cancel its campaigns')
    .argument('<account-id>')
    .action(async (accountId: string, _options: object, command: Command) => {
      const totals = await withStore(context, (prisma, _pool, lockedAccounts) =>
        cancelAllWaiting({ prisma, lockedAccounts }, accountId),
      );
      const { messages, campaigns, refunded, currency } = totals;
      const text = `Canceled ${formatCount(messages, 'message')} and ${formatCount(campaigns, 'campaign')}; refunded ${refunded} ${currency}.`;
      print(context, command, { accountId, ...totals }, text);
    });
}

async function cancelAllWaiting(store: ChangeStore, accountId: string) {
  const until = systemClock.now();
  const totals = { messages: 0, campaigns: 0, refunded: 0n, currency: '' };
  for (;;) {
    const canceledStep = await makeChange(store, { actor: cliActor(), accountId }, (change) =>
      cancelWaitingStep(change, accountId, until),
    );
    totals.messages += canceledStep.messages;
    totals.campaigns += canceledStep.campaigns.length;
    totals.refunded += parseMoney(canceledStep.refunded);
    totals.currency = canceledStep.currency;
    if (!canceledStep.hasMore) return { ...totals, refunded: formatMoney(totals.refunded) };
  }
}

function readSettings({
  isActive,
  senderIds,
  defaultCountry,
  lowBalanceMicros,
  rateCardId,
  stopsMarketingOnly,
  frequencyCap,
  quietHours,
}: Account) {
  const readHours = readQuietHours(quietHours);
  const stopScope = stopsMarketingOnly ? 'marketing' : 'all';
  return {
    isActive,
    senderIds,
    defaultCountry,
    lowBalance: formatOptional(lowBalanceMicros),
    rateCard: rateCardId,
    stopScope,
    frequencyCap: describeCap(readFrequencyCap(frequencyCap)),
    quietHours: readHours && describeQuietHours(readHours),
  };
}

function describeQuietHours({ presets, rules }: QuietHours): string {
  return [...presets, ...rules.map(({ name }) => name)].join(', ');
}

function describeCap(cap: FrequencyCap | null): string | null {
  return cap && `${cap.messages} in ${describeCapSpan(cap)}`;
}

function formatOptional(micros: bigint | null): string | null {
  return micros === null ? null : formatMoney(micros);
}
