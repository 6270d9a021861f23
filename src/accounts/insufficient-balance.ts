import { AppError } from '../platform/errors/app-error.js';
import { formatMoney, moneyToNumber } from './money.js';

/** In millionths. */
export interface Shortage {
  neededMicros: bigint;
  availableMicros: bigint;
  /** ISO 4217. */
  currency: string;
}

export function createBalanceError({ neededMicros, availableMicros, currency }: Shortage): AppError {
  const message =
    `The balance of the account is too low for this request: it costs ${formatMoney(neededMicros)} ${currency}, ` +
    `and the balance is ${formatMoney(availableMicros)} ${currency}.`;
  const funds = { needed: moneyToNumber(neededMicros), available: moneyToNumber(availableMicros), currency };
  return new AppError('INSUFFICIENT_BALANCE', message, [], { funds });
}
