import type { Command } from 'commander';
import { setLowBalance, setRateCard, setSenderIds, switchAccount } from '../../accounts/account-settings.js';
import { requireAccount } from '../../accounts/accounts.js';
import { formatMoney, parseMoney } from '../../accounts/money.js';
import type { Account, PrismaClient } from '../../platform/generated/prisma/client.js';
import { type CliChange, withChange } from '../change.js';
import type { CliContext } from '../context.js';
import { print } from '../output.js';

/** `heliograph account enable|disable|low-balance|senders …` */
export function addAccountSettingCommands(account: Command, context: CliContext): void {
  /** Runs a command that changes an account, whose line of the audit log tells what it was before. */
  async function withAccount<T>(
    accountId: string,
    work: (prisma: PrismaClient) => Promise<T>,
    describe: (before: Account) => Omit<CliChange, 'accountId' | 'subject'>,
  ): Promise<T> {
    const { made } = await withChange(
      context,
      async (prisma) => ({ before: await requireAccount(prisma, accountId), made: await work(prisma) }),
      ({ before }) => ({ accountId, subject: accountId, ...describe(before) }),
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
        await withAccount(
          accountId,
          (prisma) => switchAccount(prisma, accountId, isActive),
          (before) => ({ action: 'account.change', before: { isActive: before.isActive }, after: { isActive } }),
        );
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
      const { currency } = await withAccount(
        accountId,
        (prisma) => setLowBalance(prisma, accountId, micros),
        (before) => ({
          action: 'account.lowBalance',
          before: { lowBalance: shown(before.lowBalanceMicros) },
          after: { lowBalance },
        }),
      );
      const said =
        lowBalance === null ? 'of no balance any more' : `when the balance falls below ${lowBalance} ${currency}`;
      print(context, command, { accountId, lowBalance, currency }, `The webhooks of the account are told ${said}.`);
    });

  account
    .command('senders')
    .description('set which sender IDs the SMS of an account may have; without any: all')
    .argument('<account-id>')
    .argument('[sender...]')
    .action(async (accountId: string, senders: string[], _options: object, command: Command) => {
      await withAccount(
        accountId,
        (prisma) => setSenderIds(prisma, accountId, senders),
        ({ senderIds }) => ({ action: 'account.change', before: { senderIds }, after: { senderIds: senders } }),
      );
      const said = senders.length === 0 ? 'any sender ID' : `the sender IDs ${senders.join(', ')} alone`;
      print(context, command, { accountId, senders }, `SMS of the account may have ${said}.`);
    });

  account
    .command('rate-card')
    .description('let an account go by another rate card in its currency; running servers do so some seconds later')
    .argument('<account-id>')
    .argument('<id>', 'of the rate card')
    .action(async (accountId: string, rateCard: string, _options: object, command: Command) => {
      await withAccount(
        accountId,
        (prisma) => setRateCard(prisma, accountId, rateCard),
        (before) => ({ action: 'account.change', before: { rateCard: before.rateCardId }, after: { rateCard } }),
      );
      print(context, command, { accountId, rateCard }, `The account goes by the rate card ${rateCard}.`);
    });
}

function shown(micros: bigint | null): string | null {
  return micros === null ? null : formatMoney(micros);
}
