import { CALLING_CODES_BY_REGION } from '../../../carriers/numbers/phone-numbers.js';
import { ANY_COUNTRY, parseNewAccountCountries } from '../../../features/spending/guards.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import type { CliContext } from '../../context.js';

/** The country that a locale names, such as DE of `de_DE.UTF-8`; null where it names none that has numbers. */
export function countryOfLocale({ LC_ALL, LANG }: NodeJS.ProcessEnv): string | null {
  const [, country = ''] = /^[a-z]{2,3}_([A-Z]{2})(?:[.@]|$)/.exec(LC_ALL || LANG || '') ?? [];
  return CALLING_CODES_BY_REGION.has(country) ? country : null;
}

/**
 * Asks for the country of a new account until there is an answer: that of the locale unless another is entered.
 * @returns undefined where nobody sits at a terminal
 */
export async function askCountry(context: CliContext): Promise<string[] | undefined> {
  const { ask } = context;
  if (!ask) return undefined;
  const byDefault = countryOfLocale(context.env ?? readEnvironment());
  for (;;) {
    const entered = await ask(
      `Country that the account may send to, such as DE; ${ANY_COUNTRY} for all${byDefault ? ` [${byDefault}]` : ''}: `,
    );
    const country = entered || byDefault;
    if (!country) continue;
    try {
      parseNewAccountCountries([country], 'country');
      return [country];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      context.writeError(`${error.message}\n`);
    }
  }
}
