import { type Command, Option } from 'commander';
import { formatMoney, parseMoney } from '../../../accounts/money.js';
import { createRateCard, listRates, type RateKind, removeRate, setRate } from '../../../accounts/rates.js';
import { addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { print } from '../../output.js';

export function addRateCommands(program: Command, context: CliContext): void {
  const rate = program.command('rate').description('prices by country calling code');

  rate
    .command('create-card')
    .description('create a rate card with a currency and default prices')
    .argument('<id>', 'such as euro')
    .argument('<currency>', 'such as EUR')
    .requiredOption('--sms <price>', 'price of one SMS part')
    .requiredOption('--whatsapp <price>', 'price of one WhatsApp message')
    .action(async (id: string, currency: string, options: { sms: string; whatsapp: string }, command: Command) => {
      const smsMicros = parseMoney(options.sms);
      const whatsappMicros = parseMoney(options.whatsapp);
      await withChange(
        context,
        (prisma) => createRateCard(prisma, { id, currency, smsMicros, whatsappMicros }),
        () => ({
          action: 'rateCard.create',
          subject: id,
          after: { currency, sms: options.sms, whatsapp: options.whatsapp },
        }),
      );
      print(context, command, { id, currency }, `Created rate card ${id}.`);
    });

  rate
    .command('set')
    .description('set one price; running servers use it within seconds')
    .argument('<price>', "in the card's currency, such as 0.015")
    .addOption(new Option('--kind <kind>', 'kind of message').choices(['sms', 'whatsapp']).default('sms'))
    .option('--calling-code <digits>', 'such as 49; without it, sets the default price of the card')
    .option('--card <id>', 'the rate card', 'standard')
    .action(
      async (price: string, options: { kind: RateKind; callingCode?: string; card: string }, command: Command) => {
        const { kind, callingCode = '', card } = options;
        if (options.callingCode === '') command.error("error: option '--calling-code <digits>' must not be empty");
        const priceMicros = parseMoney(price);
        await withChange(
          context,
          (prisma) => setRate(prisma, { rateCardId: card, kind, callingCode, priceMicros }),
          (previousMicros) => {
            const before = previousMicros === null ? null : { kind, callingCode, price: formatMoney(previousMicros) };
            const after = { kind, callingCode, price: formatMoney(priceMicros) };
            return previousMicros === priceMicros ? null : { action: 'rate.set', subject: card, before, after };
          },
        );
        const label = callingCode === '' ? 'The default price' : `The price for +${callingCode}`;
        print(
          context,
          command,
          { card, kind, callingCode: callingCode || null, price: formatMoney(priceMicros) },
          `${label} of ${kind} on the card ${card} is ${formatMoney(priceMicros)}.`,
        );
      },
    );

  rate
    .command('remove')
    .description('remove the price for a calling code, so that the default of the card applies')
    .argument('<digits>', 'the calling code, such as 49')
    .addOption(new Option('--kind <kind>', 'kind of message').choices(['sms', 'whatsapp']).default('sms'))
    .option('--card <id>', 'the rate card', 'standard')
    .action(async (callingCode: string, { kind, card }: { kind: RateKind; card: string }, command: Command) => {
      await withChange(
        context,
        (prisma) => removeRate(prisma, { rateCardId: card, kind, callingCode }),
        (price) => ({
          action: 'rate.remove',
          subject: card,
          before: { kind, callingCode, price: formatMoney(price) },
        }),
      );
      const text = `${kind} to +${callingCode} now has the default price of the card ${card}.`;
      print(context, command, { card, kind, callingCode, removed: true }, text);
    });

  addList(rate, context, {
    description: 'list all prices',
    find: async (prisma, { card }: { card?: string }) =>
      (await listRates(prisma, card)).map(({ rateCardId, kind, callingCode, priceMicros, currency }) => {
        return { card: rateCardId, kind, callingCode: callingCode || null, price: formatMoney(priceMicros), currency };
      }),
    columns: {
      CARD: 'card',
      KIND: 'kind',
      'CALLING CODE': (row) => row.callingCode ?? 'default',
      PRICE: 'price',
      CURRENCY: 'currency',
    },
  }).option('--card <id>', 'show only this rate card');
}
