import { hash } from 'node:crypto';
import { type Command, Option } from 'commander';
import { createAccount, listAccounts } from '../../../accounts/accounts.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { listLedger } from '../../../accounts/ledger.js';
import { formatMoney, parseMoney } from '../../../accounts/money.js';
import { creditOnce } from '../../../features/credits/credit-once.js';
import { guardForNewAccount } from '../../../features/spending/guards.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { systemClock } from '../../../platform/system-clock.js';
import { sidOf } from '../../../platform/text/sids.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { limitOption } from '../../options.js';
import { isJson, pick, print } from '../../output.js';
import { addOptOutWordCommands } from '../people/opt-out-words.js';
import { addAccountSettingCommands } from './account-settings.js';
import { askCountry } from './own-country.js';

interface CreateOptions {
  rateCard: string;
  currency?: string;
  country?: string[];
}

interface BookingOptions {
  note?: string;
  idempotencyKey?: string;
}

interface Booking extends BookingOptions {
  kind: 'credit' | 'correct';
  accountId: string;
  /** The amount as it was given. */
  written: bigint;
  /** It is taken back. */
  takes: boolean;
}

const ONCE = [
  '--idempotency-key <text>',
  'the same one again within 24 hours books nothing more, for scripts that are repeated',
] as const;

/** The claim of a command's key; null without one. */
function claimOf(key: string | undefined, route: string, body: object): IdempotencyKey | null {
  if (key === undefined) return null;
  if (!/^[ -~]{1,255}$/.test(key))
    throw invalidField('--idempotency-key', 'must be 1 to 255 printable ASCII characters');
  return { key: `command credit ${key}`, route, bodyHash: hash('sha256', JSON.stringify(body), 'buffer') };
}

/** @returns millionths of the currency unit, more than zero */
function parseAmount(amount: string): bigint {
  const micros = parseMoney(amount);
  if (micros <= 0n) throw invalidField('amount', 'must be more than zero');
  return micros;
}

/** `heliograph account …` */
export function addAccountCommands(program: Command, context: CliContext): void {
  const account = program.command('account').description('accounts and their credit');

  account
    .command('create')
    .description('make an account without credit')
    .argument('<name>')
    .option('--rate-card <id>', 'prices and currency of the account', 'standard')
    .option('--currency <code>', 'refuse a rate card in another currency')
    .option(
      '--country <code...>',
      'countries that it may send to, such as DE, or any; without it NEW_ACCOUNT_COUNTRIES, else it is asked in a terminal, and is any in a script',
    )
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const { currency: wanted, rateCard: rateCardId } = options;
      const { newAccountCountries: byDefault } = loadConfig(context.env);
      // A script that reads JSON has nobody who answers.
      const isAsked = options.country === undefined && byDefault === undefined && !isJson(command);
      const country = isAsked ? await askCountry(context) : options.country;
      const guard = guardForNewAccount(country, byDefault, '--country');
      const made = await withChange(
        context,
        (prisma) => createAccount(prisma, { name, currency: wanted, rateCardId, guard }),
        (account) => ({
          action: 'account.create',
          accountId: account.id,
          subject: account.id,
          after: { name: account.name, rateCard: account.rateCardId, ...(guard && { countries: [...guard.allowed] }) },
        }),
      );
      const { id, currency, rateCardId: rateCard } = made;
      print(context, command, { id, name: made.name, currency, rateCard }, `Account ${id} (${made.name}) was made.`);
    });

  addList(account, context, {
    description: 'all accounts with their balances',
    find: async (prisma) =>
      (await listAccounts(prisma)).map((each) => ({
        ...pick(each, 'id', 'name'),
        sid: sidOf('AC', each.id),
        balance: formatMoney(each.balanceMicros),
        currency: each.currency,
        rateCard: each.rateCardId,
        isActive: each.isActive,
        lowBalance: each.lowBalanceMicros === null ? null : formatMoney(each.lowBalanceMicros),
        senders: each.senderIds,
        defaultCountry: each.defaultCountry,
        createdAt: each.createdAt.toISOString(),
      })),
    columns: {
      ID: 'id',
      NAME: 'name',
      BALANCE: 'balance',
      CURRENCY: 'currency',
      'RATE CARD': 'rateCard',
      STATE: ({ isActive }) => (isActive ? 'on' : 'off'),
    },
  });

  const booking = (name: string, description: string, note: Option) =>
    account
      .command(name)
      .description(description)
      .argument('<account-id>')
      .argument('<amount>', "in the account's currency, such as 12.34")
      .addOption(note)
      .option(...ONCE);

  /** Books an amount, once for a key, with its line of the audit log, and prints the balance. */
  async function book(
    command: Command,
    { kind, accountId, written, takes, note, idempotencyKey }: Booking,
    said: (amount: string, currency: string) => string,
  ): Promise<void> {
    const amountMicros = takes ? -written : written;
    const claim = claimOf(idempotencyKey, `account ${kind}`, { amount: formatMoney(written), note });
    const { credit } = await withChange(
      context,
      (prisma, client) => creditOnce({ prisma, client }, { accountId, amountMicros, note }, claim, systemClock.now()),
      ({ replayed }) => {
        const after = { amount: formatMoney(amountMicros), note: note ?? null };
        return replayed ? null : { action: `account.${kind}`, accountId, subject: accountId, after };
      },
    );
    const balance = formatMoney(credit.balanceAfterMicros);
    print(
      context,
      command,
      { accountId, amount: formatMoney(amountMicros), balance, currency: credit.currency },
      `${said(formatMoney(written), credit.currency)}; the balance is ${balance} ${credit.currency}.`,
    );
  }

  booking('credit', "add to an account's balance", new Option('--note <text>', 'kept in the ledger')).action(
    async (accountId: string, amount: string, options: BookingOptions, command: Command) => {
      const booked = { kind: 'credit', accountId, written: parseAmount(amount), takes: false, ...options } as const;
      await book(command, booked, (added, currency) => `Added ${added} ${currency}`);
    },
  );

  booking(
    'correct',
    "take back what was credited by mistake, no more than the account's balance",
    new Option('--note <text>', 'why; kept in the ledger').makeOptionMandatory(),
  ).action(async (accountId: string, amount: string, options: BookingOptions, command: Command) => {
    const booked = { kind: 'correct', accountId, written: parseAmount(amount), takes: true, ...options } as const;
    await book(command, booked, (taken, currency) => `Took ${taken} ${currency} back`);
  });

  addList(account, context, {
    name: 'ledger',
    description: 'what was credited, charged and refunded, the newest first',
    find: async (prisma, { limit }: { limit: number }, [accountId = '']) =>
      (await listLedger(prisma, accountId, { limit, before: null })).entries.map((each) => ({
        ...pick(each, 'id', 'kind', 'messageCount', 'note'),
        amount: formatMoney(each.amountMicros),
        balanceAfter: formatMoney(each.balanceAfterMicros),
        createdAt: each.createdAt.toISOString(),
      })),
    columns: {
      TIME: 'createdAt',
      KIND: 'kind',
      AMOUNT: 'amount',
      BALANCE: 'balanceAfter',
      MESSAGES: (row) => String(row.messageCount),
      NOTE: 'note',
    },
  })
    .argument('<account-id>')
    .addOption(limitOption(50));

  addAccountSettingCommands(account, context);
  addOptOutWordCommands(account, context);
}
