/** Guesses the country from the preferred language, for example DE from `de-DE`. */
export function guessRegion(languages: readonly string[]): string | null {
  const locales = languages.flatMap((language) => parseLocale(language) ?? []);
  const sameLanguage = locales.filter(({ language }) => language === locales[0]?.language);
  return sameLanguage.find(({ region }) => region !== undefined)?.region ?? null;
}

function parseLocale(language: string): Intl.Locale | null {
  try {
    return new Intl.Locale(language);
  } catch {
    return null;
  }
}
