import { hash } from 'node:crypto';
import { type Command, Option } from 'commander';
import { createAccount, listAccounts } from '../../../accounts/accounts.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { listLedger } from '../../../accounts/ledger.js';
import { formatMoney, parseMoney } from '../../../accounts/money.js';
import { creditOnce } from '../../../features/credits/credit-once.js';
import { createGuardForNewAccount } from '../../../features/spending/guards.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { systemClock } from '../../../platform/system-clock.js';
import { toSid } from '../../../platform/text/sids.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { limitOption } from '../../options.js';
import { isJson, pick, print } from '../../output.js';
import { addAccountReplyCommand } from '../people/keyword-replies.js';
import { addOptOutWordCommands } from '../people/opt-out-words.js';
import { addAccountSettingCommands } from './account-settings.js';
import { promptForCountry } from './prompt-for-country.js';

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
  /** Amount in millionths of the currency unit. */
  amountMicros: bigint;
  subtracts: boolean;
}

const IDEMPOTENCY_KEY = [
  '--idempotency-key <text>',
  'a repeated command with the same key within 24 hours changes nothing, so scripts can be retried',
] as const;

function toIdempotencyKey(key: string | undefined, route: string, body: object): IdempotencyKey | null {
  if (key === undefined) return null;
  if (!/^[ -~]{1,255}$/.test(key))
    throw invalidField('--idempotency-key', 'must be 1 to 255 printable ASCII characters');
  return { key: `command credit ${key}`, route, bodyHash: hash('sha256', JSON.stringify(body), 'buffer') };
}

function parseAmount(amount: string): bigint {
  const micros = parseMoney(amount);
  if (micros <= 0n) throw invalidField('amount', 'must be greater than zero');
  return micros;
}

export function addAccountCommands(program: Command, context: CliContext): void {
  const account = program.command('account').description('accounts and their credit');

  account
    .command('create')
    .description('create an account with a balance of zero')
    .argument('<name>')
    .option('--rate-card <id>', 'prices and currency of the account', 'standard')
    .option('--currency <code>', 'fail if the rate card has another currency')
    .option(
      '--country <code...>',
      'countries it may send to, such as DE, or any; default: NEW_ACCOUNT_COUNTRIES; otherwise a terminal prompts for a country, and a script gets any',
    )
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const { currency: expectedCurrency, rateCard: rateCardId } = options;
      const { newAccountCountries: defaultCountries } = loadConfig(context.env);
      // With --json no question is asked, because a script cannot answer it.
      const mustPrompt = options.country === undefined && defaultCountries === undefined && !isJson(command);
      const country = mustPrompt ? await promptForCountry(context) : options.country;
      const guard = createGuardForNewAccount(country, defaultCountries, '--country');
      const created = await withChange(
        context,
        (prisma) => createAccount(prisma, { name, currency: expectedCurrency, rateCardId, guard }),
        (account) => ({
          action: 'account.create',
          accountId: account.id,
          subject: account.id,
          after: { name: account.name, rateCard: account.rateCardId, ...(guard && { countries: [...guard.allowed] }) },
        }),
      );
      const { id, currency, rateCardId: rateCard } = created;
      print(
        context,
        command,
        { id, name: created.name, currency, rateCard },
        `Created account ${id} (${created.name}).`,
      );
    });

  addList(account, context, {
    description: 'list all accounts with their balances',
    find: async (prisma) =>
      (await listAccounts(prisma)).map((row) => ({
        ...pick(row, 'id', 'name'),
        sid: toSid('AC', row.id),
        balance: formatMoney(row.balanceMicros),
        currency: row.currency,
        rateCard: row.rateCardId,
        isActive: row.isActive,
        lowBalance: row.lowBalanceMicros === null ? null : formatMoney(row.lowBalanceMicros),
        senders: row.senderIds,
        defaultCountry: row.defaultCountry,
        createdAt: row.createdAt.toISOString(),
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

  const addBookingCommand = (name: string, description: string, note: Option) =>
    account
      .command(name)
      .description(description)
      .argument('<account-id>')
      .argument('<amount>', "in the account's currency, such as 12.34")
      .addOption(note)
      .option(...IDEMPOTENCY_KEY);

  /** Books a credit or debit once per idempotency key. */
  async function bookCredit(
    command: Command,
    { kind, accountId, amountMicros: absoluteMicros, subtracts, note, idempotencyKey }: Booking,
    describe: (amount: string, currency: string) => string,
  ): Promise<void> {
    const amountMicros = subtracts ? -absoluteMicros : absoluteMicros;
    const idempotency = toIdempotencyKey(idempotencyKey, `account ${kind}`, {
      amount: formatMoney(absoluteMicros),
      note,
    });
    const { credit } = await withChange(
      context,
      (prisma, client) =>
        creditOnce({ prisma, client }, { accountId, amountMicros, note }, idempotency, systemClock.now()),
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
      `${describe(formatMoney(absoluteMicros), credit.currency)}; the balance is ${balance} ${credit.currency}.`,
    );
  }

  addBookingCommand('credit', "add to an account's balance", new Option('--note <text>', 'shown in the ledger')).action(
    async (accountId: string, amount: string, options: BookingOptions, command: Command) => {
      const booking = {
        kind: 'credit',
        accountId,
        amountMicros: parseAmount(amount),
        subtracts: false,
        ...options,
      } as const;
      await bookCredit(command, booking, (amount, currency) => `Added ${amount} ${currency}`);
    },
  );

  addBookingCommand(
    'correct',
    "take back credit that was added by mistake, up to the account's balance",
    new Option('--note <text>', 'the reason, shown in the ledger').makeOptionMandatory(),
  ).action(async (accountId: string, amount: string, options: BookingOptions, command: Command) => {
    const booking = {
      kind: 'correct',
      accountId,
      amountMicros: parseAmount(amount),
      subtracts: true,
      ...options,
    } as const;
    await bookCredit(command, booking, (amount, currency) => `Took back ${amount} ${currency}`);
  });

  addList(account, context, {
    name: 'ledger',
    description: 'list credits, charges and refunds, newest first',
    find: async (prisma, { limit }: { limit: number }, [accountId = '']) =>
      (await listLedger(prisma, accountId, { limit, before: null })).entries.map((entry) => ({
        ...pick(entry, 'id', 'kind', 'messageCount', 'note'),
        amount: formatMoney(entry.amountMicros),
        balanceAfter: formatMoney(entry.balanceAfterMicros),
        createdAt: entry.createdAt.toISOString(),
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
  addAccountReplyCommand(account, context);
}
