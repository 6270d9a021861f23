import { CALLING_CODES_BY_REGION } from '../../../carriers/numbers/phone-numbers.js';
import { ANY_COUNTRY, parseNewAccountCountries } from '../../../features/spending/guards.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import type { CliContext } from '../../context.js';

/** Returns, for example, `DE` for the locale `de_DE.UTF-8`. */
export function findLocaleCountry({ LC_ALL, LANG }: NodeJS.ProcessEnv): string | null {
  const [, country = ''] = /^[a-z]{2,3}_([A-Z]{2})(?:[.@]|$)/.exec(LC_ALL || LANG || '') ?? [];
  return CALLING_CODES_BY_REGION.has(country) ? country : null;
}

/** @returns undefined without a terminal */
export async function promptForCountry(context: CliContext): Promise<string[] | undefined> {
  const { prompt } = context;
  if (!prompt) return undefined;
  const defaultCountry = findLocaleCountry(context.env ?? readEnvironment());
  for (;;) {
    const input = await prompt(
      `Country the account may send to, such as DE; ${ANY_COUNTRY} for all${defaultCountry ? ` [${defaultCountry}]` : ''}: `,
    );
    const country = input || defaultCountry;
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
